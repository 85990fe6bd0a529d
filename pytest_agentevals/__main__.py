"""``python -m pytest_agentevals`` is the command ``agentevals``."""

from __future__ import annotations

from pytest_agentevals.cli import main

if __name__ == "__main__":
    main()
