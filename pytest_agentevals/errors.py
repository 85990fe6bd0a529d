"""Everything this package raises on purpose.

::

    AgentEvalsError
    ├── DocumentError        an eval document cannot be used; carries every problem found in it
    ├── ConfigurationError   an option, ini value or fixture cannot be used
    ├── AgentError           the agent gave no usable answer; carries an error code of the eval-document format
    └── EvaluationError      an evaluator could not decide; carries an error code of the eval-document format
        └── MissingInput     a field that the evaluator needs is absent from the item or the response

``AgentEvalsWarning`` is the category of all warnings.

Messages are sentences for the person who runs the tests: what failed, where, what was found, what is allowed.
"""

from __future__ import annotations


class AgentEvalsError(Exception):
    """Base of all errors of this package."""


class DocumentError(AgentEvalsError):
    """An eval document cannot be read or does not follow the format; the message lists every problem with its place."""


class ConfigurationError(AgentEvalsError):
    """An option, an ini value or what a fixture returned cannot be used."""


class AgentError(AgentEvalsError):
    """The agent gave no usable answer.

    ``code`` is one of the item error codes of the eval-document format: ``agentRequestFailed``,
    ``agentAuthenticationError``, ``agentRateLimited``, ``agentTimeout``, ``agentResponseUnparseable``.
    """

    def __init__(self, message: str, *, code: str = "agentRequestFailed") -> None:
        super().__init__(message)
        self.code = code


class EvaluationError(AgentEvalsError):
    """An evaluator could not decide: neither a pass nor a fail.

    ``code`` is one of the evaluator error codes of the eval-document format, for example ``evaluatorError``,
    ``judgeOutputUnparseable``, ``judgeTimeout``, ``toolCallEvidenceIndeterminate``. ``raw`` is the text that could
    not be used, where there is one.
    """

    def __init__(self, message: str, *, code: str = "evaluatorError", raw: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.raw = raw


class MissingInput(EvaluationError):
    """A field that the evaluator needs is absent from the item or from the agent's response."""


class AgentEvalsWarning(UserWarning):
    """Something works but should be changed, such as an eval document in an old format."""
