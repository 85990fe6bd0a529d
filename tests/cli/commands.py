"""What tests of the command share."""

from __future__ import annotations

import subprocess
import sys


def process(*arguments, **options):
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pytest_agentevals", *map(str, arguments)],
        capture_output=True,
        check=False,
        encoding="utf-8",
        **options,
    )


def document(*items, **top):
    """Make an eval document of items or prompts."""
    return {
        "schemaVersion": "1.11.0",
        **top,
        "items": [{"prompt": item} if isinstance(item, str) else item for item in items],
    }
