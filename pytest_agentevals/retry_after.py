"""How long a server asks its clients to wait."""

from __future__ import annotations

import time
from contextlib import suppress
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait: ``retry-after-ms``, or ``Retry-After`` in seconds or as an HTTP date (RFC 9110).

    None where the server does not say, or says it in another way. ``headers`` ignore case, as those of HTTP do.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            if isfinite(seconds := float(headers[name]) * unit):
                return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    except (KeyError, ValueError):
        return None
