"""Text metrics: how far the words of a response and of the expected response agree, without a judge or a download.

``f1``, ``bleu``, ``gleu``, ``rouge`` and ``meteor`` hold one evaluator each. NLTK computes BLEU, GLEU and METEOR; it is
imported when one of them is first used. What NLTK would download is taken from the user's NLTK data where it is
installed, else from ``data``.
"""

from __future__ import annotations
