"""Results as text: failure messages, summary lines, JUnit XML. Knows nothing of pytest."""

from __future__ import annotations
