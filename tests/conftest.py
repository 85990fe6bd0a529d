from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True, scope="session")
def _few_plugins():
    """Plugins of this environment that no run of the tests' own needs, and that take seconds to import in each process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:anyio")
        yield
