"""The pytest plugin: options, ini settings, fixtures and the hooks that find eval documents.

Imported in every pytest run of an environment that has the package, so it imports pytest and the standard library only;
everything else is imported when the first eval document is met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

COLLECT_MODES = ("auto", "named", "off")
JUNIT_MODES = ("evaluator", "item")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("agentevals", "agent evaluations")
    group.addoption(
        "--evals-only", dest="evals_only", metavar="NAMES", help="Run only these evaluators (comma-separated)"
    )
    group.addoption(
        "--evals-skip", dest="evals_skip", metavar="NAMES", help="Run all evaluators but these (comma-separated)"
    )
    parser.addini("evals_collect", "Which eval documents to collect: auto, named or off", default="auto")
    parser.addini("evals_files", "Globs of JSON files that are eval documents, whatever they look like", type="args")
    parser.addini(
        "evals_junit", "Test cases in the JUnit XML file: one per evaluator, or one per item", default="evaluator"
    )
    parser.addini(
        "evals_junit_properties", "Write scores and reasons as properties of JUnit XML", type="bool", default=True
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "agentevals(tag): an item of an eval document; one mark for each of its tags")
    for name, allowed in (("evals_collect", COLLECT_MODES), ("evals_junit", JUNIT_MODES)):
        value = config.getini(name)
        if value not in allowed:
            raise pytest.UsageError(f"{name} = {value!r} is not valid; allowed are {', '.join(allowed)}")
    if (config.getoption("evals_only") or config.getoption("evals_skip")) and not hasattr(config, "workerinput"):
        from pytest_agentevals.plugin.selection import check  # noqa: PLC0415 - only with these options

        check(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    globs = parent.config.getini("evals_files")
    if file_path.suffix.lower() != ".json" and not globs:
        return None
    from pytest_agentevals.plugin.collection import collect  # noqa: PLC0415 - only where a JSON file was met

    return collect(file_path, parent, globs)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    if any(".json::" in nodeid for nodeid in ids):
        from pytest_agentevals.plugin.activation import activate  # noqa: PLC0415 - only where items were collected

        activate(node.config).workers_collected(ids)


@pytest.fixture(scope="session")
def agent_client() -> Any:
    """Whom to ask: any callable that takes a prompt (and, if it likes, the conversation so far) and returns the answer.

    Override it in a conftest.py; sync and async callables are fine, and so are other scopes. The answer is a str, an
    `AgentResponse` or a dict of its fields. None, the default, stands for the responses recorded in the documents.
    """
    return None
