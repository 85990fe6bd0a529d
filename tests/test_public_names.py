from __future__ import annotations

import pytest_agentevals


def test_public_names_are_sorted_and_exist():
    assert pytest_agentevals.__all__ == sorted(pytest_agentevals.__all__)
    for name in pytest_agentevals.__all__:
        assert getattr(pytest_agentevals, name).__name__ == name
        assert name in dir(pytest_agentevals)
