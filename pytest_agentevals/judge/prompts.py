"""Prompt files: YAML front matter with the parameters of the request, then a chat template with ``{{inputs}}``."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import JudgeRequest
from pytest_agentevals.judge.images import content

if TYPE_CHECKING:
    from collections.abc import Mapping

FRONT_MATTER = re.compile(r"-{3,}\n(.*?\n)-{3,}\n(.*)", re.DOTALL)
ROLE = re.compile(r"^\s*#?\s*(system|user|assistant)\s*:\s*\n", re.MULTILINE | re.IGNORECASE)
INPUT = re.compile(r"\{\{\s*(\w+)\s*\}\}")
#: A line of front matter: blanks, key, plain value; no other kinds of quotes, no block texts, no comments.
LINE = re.compile(r"( *)(\w+):(?:\s+([^\s'|>&*!%@`#-][^#]*)?)?")
#: What remains of these after the inputs is template syntax that is not understood here.
SYNTAX = re.compile(r"\{\{|\{%|\{#")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt file, ready to be filled in."""

    #: File name and content hash: recordings made with another prompt do not count as answers to this one.
    version: str
    #: The request body without model and messages: temperature, max_tokens, response_format, …
    parameters: Mapping[str, Any]
    #: Role and template of each message.
    messages: tuple[tuple[str, str], ...]

    @classmethod
    def parse(cls, name: str, text: str) -> Prompt:
        """Read the text of a prompt file; raises `ValueError` with a sentence where it has another form."""
        text = text.replace("\r\n", "\n")
        parts = FRONT_MATTER.match(text.lstrip())
        if not parts:
            raise ValueError(f"the prompt file {name} does not begin with front matter between lines of ---")
        front = _front_matter(name, parts[1])
        before, *chunks = ROLE.split(parts[2])
        if before.strip() or not chunks:
            raise ValueError(f"the prompt file {name} does not begin with a role such as system:")
        if unknown := SYNTAX.search(INPUT.sub("", parts[2])):
            raise ValueError(f"the prompt file {name} uses {unknown[0]!r}; only inputs such as {{{{query}}}} are known")
        return cls(
            version=f"{name}@sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}",
            parameters=front.get("model", {}).get("parameters", {}),
            messages=tuple(zip(map(str.lower, chunks[::2]), chunks[1::2], strict=True)),
        )

    @property
    def inputs(self) -> frozenset[str]:
        """Names that the template asks for."""
        return frozenset(name for _, template in self.messages for name in INPUT.findall(template))

    @property
    def skippable(self) -> bool:
        """Whether the prompt lets the judge answer that it skipped the evaluation."""
        return any('"skipped"' in template for _, template in self.messages)

    def request(self, evaluator: str, inputs: Mapping[str, object]) -> JudgeRequest:
        """Fill in the template. Messages and their roles are the template's, whatever the inputs say.

        Raises `EvaluationError` where the template asks for an input that is not given.
        """
        if missing := self.inputs - inputs.keys():
            raise EvaluationError(
                f"the prompt {self.version} asks for {', '.join(sorted(missing))}, which {evaluator} does not provide",
                code="evaluatorConfigurationError",
            )
        return JudgeRequest(
            evaluator=evaluator,
            prompt_version=self.version,
            messages=tuple(
                # One pass over the template: what an input contains is never looked at again.
                {"role": role, "content": content(INPUT.sub(lambda match: _text(inputs[match[1]]), template))}
                for role, template in self.messages
            ),
            parameters=self.parameters,
        )


@cache
def sdk_prompt(path: str) -> Prompt:
    """Read a prompt file of the installed azure-ai-evaluation, such as ``_relevance/relevance.prompty``.

    Raises `EvaluationError` where the package or the file is missing or has another form.
    """
    file = sdk_file(path)
    try:
        return Prompt.parse(file.name, file.read_text("utf-8"))
    except ValueError as error:
        raise EvaluationError(str(error), code="evaluatorConfigurationError") from None


def sdk_file(path: str) -> Path:
    """Find a file of the evaluators of azure-ai-evaluation; raises `EvaluationError` where there is none."""
    try:
        # azure and azure.ai are empty namespaces; importing azure.ai.evaluation itself would take two seconds.
        found = find_spec("azure.ai")
    except ModuleNotFoundError:
        found = None
    for folder in (found and found.submodule_search_locations) or ():
        file = Path(folder, "evaluation", "_evaluators", path)
        if file.is_file():
            return file
    raise EvaluationError(
        f"the prompt file {Path(path).name} is missing: the installed azure-ai-evaluation does not have it",
        code="evaluatorConfigurationError",
    )


def _text(value: object) -> str:
    """Write an input; half of a surrogate pair, which no request can carry, becomes a replacement character."""
    return str(value).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _front_matter(name: str, text: str) -> dict[str, Any]:
    """Read nested mappings of plain values, all the YAML in the SDK's files; a YAML parser takes 60 ms more."""
    root: dict[str, Any] = {}
    mappings = [(0, root)]
    for line in filter(str.strip, text.splitlines()):
        parts = LINE.fullmatch(line)
        mappings = [(depth, mapping) for depth, mapping in mappings if parts and depth <= len(parts[1])]
        if not parts or not mappings:
            raise ValueError(f"the prompt file {name} has front matter of an unknown kind: {line.strip()!r}")
        indent, key, value = parts.groups()
        inner: dict[str, Any] = {}
        mappings[-1][1][key] = _plain(value.rstrip()) if value else inner
        if not value:
            mappings.append((len(indent) + 1, inner))
    return root


def _plain(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value
