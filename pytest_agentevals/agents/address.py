"""Addresses as they may be shown."""

from __future__ import annotations

from urllib.parse import urlsplit


def address(url: str) -> str:
    """Return a URL without what may hold a key: user, password, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
