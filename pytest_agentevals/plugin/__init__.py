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

    from pytest_agentevals.judge.config import ModelConfig

SETTINGS = (
    ("evals_collect", "Which eval documents to collect: auto, named or off", "auto"),
    ("evals_junit", "Test cases in the JUnit XML file: one per evaluator, or one per item", "evaluator"),
    ("evals_judge", "Where judgments come from: auto, record, live, replay or none", "auto"),
    ("evals_judge_model", "Model, or Azure deployment, that judges", ""),
    ("evals_judge_url", "Base URL of a server with OpenAI's interface that judges", ""),
    ("evals_judge_timeout", "Seconds for one judgment, retries included", "120"),
    ("evals_judge_concurrency", "Requests to the judge in flight at most", "16"),
    ("evals_judge_repeat", "Answers of the judge to every question, of which the median counts", "1"),
    ("evals_judges_verdict", "How several judges decide: median, majority or first", "median"),
    ("evals_repeat", "Evaluations of every item, agent and judge included", "1"),
    ("evals_pass_at", "Repeats that have to pass; all by default", ""),
    ("evals_recordings", "Folder of recordings, relative to the folder of each eval document", "recordings"),
    ("evals_agent", "Whom to ask: module:function, a URL, openai:MODEL, exec:COMMAND, a2a:URL or recorded", ""),
    ("evals_agent_concurrency", "Requests to the agent in flight at most", "4"),
    ("evals_agent_cache", "Keep responses of agents from run to run: on, off or a file", "off"),
    ("evals_step_summary", "Add to the summary of the step in GitHub Actions: on or off", "on"),
)

#: Options whose values may be wrong.
CHECKED = (
    "evals_only",
    "evals_skip",
    "evals_judge_concurrency",
    "evals_judge_repeat",
    "evals_agent_concurrency",
    "evals_agent_cache",
    "evals_repeat",
    "evals_pass_at",
)

#: Options on what a run comes to.
CONCLUDING = ("evals_report", "evals_gate", "evals_baseline", "evals_fail_on_regression")

FOLDER = pytest.StashKey[str]()
#: A line for the header.
KEPT = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("agentevals", "agent evaluations")

    def option(name: str, help: str, **rest: Any) -> None:  # noqa: A002 - argparse's own word
        group.addoption(f"--{name.replace('_', '-')}", dest=name, help=help, **rest)

    option("evals_only", "Run only these evaluators (comma-separated)", metavar="NAMES")
    option("evals_skip", "Run all evaluators but these (comma-separated)", metavar="NAMES")
    option(
        "evals_judge",
        "Where judgments come from: recordings and the judge (auto), the same and record what is new (record), "
        "the judge only (live), recordings only (replay), or skip judged evaluators (none)",
        choices=("auto", "record", "live", "replay", "none"),
    )
    option("evals_judge_model", "Model, or Azure deployment, that judges", metavar="NAME")
    option("evals_judge_url", "Base URL of a server with OpenAI's interface that judges", metavar="URL")
    option("evals_judge_concurrency", "Requests to the judge in flight at most", metavar="N")
    option("evals_judge_repeat", "Ask the judge N times, and take the median answer", metavar="N")
    option("evals_repeat", "Evaluate every item N times: ask the agent and the judge N times each", metavar="N")
    option("evals_pass_at", "With --evals-repeat, pass where K of the repeats do (all by default)", metavar="K")
    option("evals_record_prune", "Remove what this run did not use from the recordings", action="store_true")
    option("evals_agent", "Whom to ask, as in the ini setting evals_agent; wins over fixtures", metavar="AGENT")
    option("evals_agent_concurrency", "Requests to the agent in flight at most", metavar="N")
    option(
        "evals_agent_cache",
        "Keep responses of agents from run to run, in FILE or in pytest's cache, and do not ask for them again; off",
        metavar="FILE",
        nargs="?",
        const="on",
    )
    option(
        "evals_report",
        "Write a report when the run ends: results document (.json), page (.html), Markdown (.md) or table (.csv); "
        "may be given several times",
        metavar="FILE",
        action="append",
        default=[],
    )
    option("evals_agent_cache_clear", "Forget the kept responses first", action="store_true")
    option(
        "evals_gate",
        "Fail the run where the gate is not met, and let it answer for single fails: "
        "[EVALUATOR] [tag:TAG] [file:GLOB] METRIC >= NUMBER; may be given several times",
        metavar="GATE",
        action="append",
        default=[],
    )
    option("evals_baseline", "Compare with the results document of an earlier run", metavar="FILE")
    option(
        "evals_fail_on_regression",
        "Fail the run where anything got worse than in the baseline (any), or an evaluator by more than noise "
        "(significant)",
        choices=("any", "significant"),
        nargs="?",
        const="any",
    )
    for name, description, default in SETTINGS:
        parser.addini(name, description, default=default)
    parser.addini(
        "evals_judge_prices", "Lines of MODEL = PROMPT COMPLETION: prices per million tokens", type="linelist"
    )
    parser.addini("evals_judges", "Lines of NAME = MODEL [URL]: several judges", type="linelist")
    parser.addini("evals_gates", "Gates of the project, one a line, as for --evals-gate", type="linelist")
    parser.addini("evals_files", "Globs of JSON files that are eval documents, whatever they look like", type="args")
    parser.addini(
        "evals_junit_properties", "Write scores and reasons as properties of JUnit XML", type="bool", default=True
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "agentevals(tag): an item of an eval document; one mark for each of its tags")
    if not hasattr(config, "workerinput") and configured(config):
        from pytest_agentevals.plugin import gating, selection
        from pytest_agentevals.plugin.settings import Settings

        settings = Settings.of(config)
        selection.check(config)
        gating.check(config)
        if settings.baseline is not None:
            from pytest_agentevals.plugin.baseline import keep

            keep(config, settings.baseline)
        if settings.demanding:
            from pytest_agentevals.plugin.activation import activate

            activate(config)
        if settings.agent_cache != "off":
            from pytest_agentevals.plugin.kept import prepare

            config.stash[KEPT] = prepare(config, settings)


def configured(config: pytest.Config) -> bool:
    """Whether the user set anything of ours that has to be checked before the run starts."""
    given = any(config.getoption(name) is not None for name in CHECKED) or any(map(config.getoption, CONCLUDING))
    set_up = any(config.getini(name) != default for name, _, default in SETTINGS) or bool(config.getini("evals_gates"))
    return given or set_up or bool(config.getini("evals_judge_prices") or config.getini("evals_judges"))


def pytest_report_header(config: pytest.Config) -> str | None:
    return config.stash.get(KEPT, None)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    globs = parent.config.getini("evals_files")
    if file_path.suffix.lower() != ".json" and not globs:
        return None
    from pytest_agentevals.plugin.collection import collect

    return collect(file_path, parent, globs)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    if node.config.getoption("dist") != "each":
        # With "each", workers are to find out for themselves.
        node.workerinput["agentevals_folder"] = folder(node.config)


def folder(config: pytest.Config) -> str:
    """Name a folder for what the processes of this run share; it is made when an eval document is collected."""
    import tempfile
    import uuid

    return config.stash.setdefault(FOLDER, f"{tempfile.gettempdir()}/agentevals-{uuid.uuid4().hex}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    if any(".json::" in nodeid for nodeid in ids):
        from pytest_agentevals.plugin.activation import activate, share

        share(node.config, folder(node.config))
        activate(node.config).workers_collected(ids)


@pytest.fixture(scope="session")
def agent_client(pytestconfig: pytest.Config) -> Any:
    """Whom to ask: any callable that takes a prompt (and, if it likes, the conversation so far) and returns the answer.

    Override it in a conftest.py; sync and async callables are fine, and so are other scopes. The answer is a str, an
    `AgentResponse` or a dict of its fields. By default it is what the ini setting ``evals_agent`` names, and None where
    it names nothing: None stands for the responses recorded in the documents.
    """
    from pytest_agentevals.plugin.configuration import agent_from_ini

    return agent_from_ini(pytestconfig)


@pytest.fixture(scope="session")
def model_config(pytestconfig: pytest.Config) -> ModelConfig | None:
    """The judge's configuration: from ini settings, the environment and ``.env``; None where there is none.

    Override it in a conftest.py and return a `ModelConfig`, or one of azure-ai-evaluation's configuration dicts.
    """
    from pytest_agentevals.plugin.configuration import judge_from_ini_and_environment

    return judge_from_ini_and_environment(pytestconfig)
