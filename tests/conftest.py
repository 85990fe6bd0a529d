from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True, scope="session")
def _few_plugins():
    """Keep plugins out of the processes that tests start: they take seconds to import there, and nobody needs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:anyio")
        yield
