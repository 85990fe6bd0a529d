from __future__ import annotations

import contextlib
import importlib
import json
import pkgutil
from pathlib import Path

import pytest

import pytest_agentevals

# Runs inside this process find the modules imported, instead of importing them one by one, again and again.
for module in pkgutil.walk_packages(pytest_agentevals.__path__, "pytest_agentevals."):
    importlib.import_module(module.name)
# What clients import with their first request is among them: imported anew after such a run, its exceptions would be
# others than those that the client knows. Which of the two transports there is depends on the client's version.
for name in (
    *("openai.resources.chat.completions", "openai.types.chat", "jsonschema", "dotenv", "hypothesis.core"),
    *("httpcore", "httpcore2", "anyio._backends._asyncio"),
):
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module(name)

MODES = {"plain": ("-p", "no:xdist"), "n0": ("-n0",), "n2": ("-n2",)}


@pytest.fixture(autouse=True)
def not_on_ci(monkeypatch):
    """Pytest prints longer summaries on CI; expected texts are those of a developer's terminal."""
    for name in ("CI", "BUILD_NUMBER", "GITHUB_ACTIONS", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def write(pytester):
    """Write an eval document of the given items below the test's folder."""

    def write(*items, name="faq.json", **rest):
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {"schemaVersion": "1.6.0", **rest, "items": list(items)}
        path.write_text(json.dumps(document, ensure_ascii=False, indent=2), encoding="utf-8")
        return path

    return write


def runner(pytester, mode):
    def run(*arguments):
        return pytester.runpytest(*MODES[mode], *arguments)

    run.mode = mode
    return run


@pytest.fixture
def run(pytester):
    """Run pytest in the test's folder, in one process and without xdist."""
    return runner(pytester, "plain")


@pytest.fixture(params=["plain", "n0"])
def run_in_process(request, pytester):
    """Run pytest in the test's folder, without xdist and with it in one process.

    For what other tests show to arrive from the processes of xdist as well: each of those takes seconds to start.
    """
    return runner(pytester, request.param)


@pytest.fixture(params=MODES)
def run_everywhere(request, pytester):
    """Run pytest in the test's folder: without xdist, and with it in one and in two processes."""
    return runner(pytester, request.param)


@pytest.fixture(scope="session")
def xunit_schema():
    import xmlschema

    return xmlschema.XMLSchema(str(Path(__file__).with_name("junit.xsd")))
