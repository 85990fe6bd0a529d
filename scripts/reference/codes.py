"""Exit codes and error codes."""

from __future__ import annotations

from pytest_agentevals import cli
from reference.markdown import code, table, written
from reference.source import found

#: What a code looks like: who, and what happened.
CODE = (
    r"\"((?:agent|empty|evaluation|evaluators?|invalid|judge|toolCall|turn|worker)[A-Za-z]*?"
    r"(?:Crashed|Error|Failed|Indeterminate|Limited|NotAllowed|Response|Result|Skipped|Timeout|Unparseable))\""
)
AGENT = {
    "agentAuthenticationError": "the agent refused the key or sign-in: HTTP 401 or 403",
    "agentRateLimited": "HTTP 429, after the retries",
    "agentRequestFailed": "any other failure of the agent, such as an exception",
    "agentResponseUnparseable": "the agent's answer is none: of the wrong type or shape",
    "agentTimeout": "no answer within the agent's timeout; HTTP 408 or 504",
    "turnSkipped": "an earlier turn of the thread got no answer, so this one was not attempted",
    "workerCrashed": "the process that evaluated the item died",
}
EVALUATOR = {
    "emptyAgentResponse": "the response has no text; the judge was not asked",
    "evaluatorConfigurationError": "no judge is configured, or wrongly; nothing is recorded; a package is missing",
    "evaluatorError": "the evaluator needs something that is missing, or failed for another reason",
    "evaluatorLoadError": "there is no evaluator of that name, or it cannot be loaded",
    "evaluatorsFailed": "in results documents: some evaluators of the turn are in error",
    "invalidEvaluatorResult": "a custom evaluator returned something that is no score",
    "judgeAuthenticationError": "the judge refused the key or sign-in: HTTP 401 or 403, or no token of Entra ID",
    "judgeOutputUnparseable": "the judge's answer, asked for twice, is no judgment",
    "judgeRateLimited": "HTTP 429 after the retries, or no quota left",
    "judgeTimeout": "no judgment within `evals_judge_timeout`",
    "toolCallEvidenceIndeterminate": "the record of tool calls is absent or too incomplete to decide",
}
PYTEST = (
    ("0", "every item passed or was skipped, and at least one verdict is a pass"),
    ("1", "a verdict is a fail or an error, or an agent gave no answer"),
    ("2", "a document has mistakes, or the run was interrupted"),
    ("3", "an error inside pytest or a plugin"),
    ("4", "an option, a setting or the judge's configuration is wrong"),
    ("5", "nothing was collected, or every item was skipped"),
)


def page() -> str:
    """Write the page; raises `LookupError` where the code has an error code that is not described here."""
    described = {**AGENT, **EVALUATOR}
    used = found(CODE)
    if unknown := used - described.keys():
        raise LookupError(f"describe in {__file__}: {', '.join(sorted(unknown))}")
    return written(
        "Exit codes and error codes",
        "Exit codes are for CI, error codes for whoever reads results: a verdict of `error`, and an item without an "
        "answer, say with a code of the eval-document format why.",
        "## Exit codes of pytest",
        table(["code", ""], PYTEST),
        "## Exit codes of agentevals",
        table(
            ["code", ""],
            [
                ("0", "all is well"),
                ("1", "the answer is no: a document has mistakes, something is to be upgraded"),
                (str(cli.FAILURE), "wrong usage, or something could not be done"),
                (str(cli.INTERRUPTED), "interrupted (Ctrl-C)"),
                (str(cli.BROKEN_PIPE), "nobody reads the output any more"),
            ],
        ),
        "## Error codes of evaluators",
        "A verdict of `error` has one: in JUnit XML as the `type` of `<error>`, in the terminal beside the message.",
        table(["code", "when"], ([code(name), when] for name, when in EVALUATOR.items() if name in used)),
        "## Error codes of items",
        "An item or a turn without an answer has one.",
        table(["code", "when"], ([code(name), when] for name, when in AGENT.items() if name in used)),
    )
