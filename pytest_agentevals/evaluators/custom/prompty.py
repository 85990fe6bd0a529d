"""A user's ``.prompty`` file: YAML front matter, then a Jinja template with a role line before each message."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pytest_agentevals.errors import EvaluationError
from pytest_agentevals.judge import JudgeRequest
from pytest_agentevals.judge.prompts import FRONT_MATTER, ROLE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompty:
    """A prompt file, ready to be filled in."""

    name: str
    #: File name and content hash: recordings made with another text do not count as answers to this one.
    version: str
    #: The request body without model and messages: temperature, max_tokens, response_format, …
    parameters: Mapping[str, Any]
    #: Values of inputs that are not given.
    defaults: Mapping[str, Any]
    template: str

    @classmethod
    def read(cls, path: Path) -> Prompty:
        """Read a prompt file; raises `EvaluationError` with code ``evaluatorLoadError`` where it is none."""
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError

        try:
            text = path.read_text("utf-8-sig")
            parts = FRONT_MATTER.match(text.lstrip())
            if not parts:
                raise ValueError("it does not begin with front matter between lines of ---")
            front = YAML(typ="safe", pure=True).load(parts[1]) or {}
            model, inputs = front.get("model") or {}, front.get("inputs") or {}
            return cls(
                name=path.name,
                version=f"{path.name}@sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}",
                parameters=model.get("parameters") or {},
                defaults={
                    name: given["default"]
                    for name, given in inputs.items()
                    if isinstance(given, dict) and "default" in given
                },
                template=parts[2],
            )
        except (OSError, ValueError, AttributeError, YAMLError) as error:
            said = " ".join(str(error).split())
            raise EvaluationError(f"{path.name} cannot be used: {said}", code="evaluatorLoadError") from None

    def request(self, evaluator: str, inputs: Mapping[str, Any], parameters: Mapping[str, Any]) -> JudgeRequest:
        """Fill in the template; ``parameters`` are put over those of the file.

        Messages and their roles are the template's: a line such as ``system:`` in an input stays where it is. Raises
        `EvaluationError` for a template that is broken or asks for an input that is not given.
        """
        before, *chunks = self._render({**self.defaults, **inputs})
        if before.strip() or not chunks:
            raise EvaluationError(f"{self.name} does not begin with a role such as system:", code="evaluatorLoadError")
        return JudgeRequest(
            evaluator=evaluator,
            prompt_version=self.version,
            messages=tuple(
                {"role": role.lower(), "content": content.strip()}
                for role, content in zip(chunks[::2], chunks[1::2], strict=True)
            ),
            parameters={**self.parameters, **parameters},
        )

    def _render(self, inputs: Mapping[str, Any]) -> list[str]:
        """Render the template and split it at its role lines into text, role, text, role, text.

        While the roles are looked for, a mark stands in for the value of every expression.
        """
        from jinja2 import Environment, StrictUndefined, TemplateError

        mark = uuid4().hex
        marked = re.compile(rf"{mark}<(\d+)>")
        values: list[str] = []

        def restored(text: str) -> str:
            return marked.sub(lambda match: values[int(match[1])], text)

        def keep(value: object) -> str:
            # What a macro returns has marks in it.
            values.append(restored(str(value)))
            return f"{mark}<{len(values) - 1}>"

        environment = Environment(
            autoescape=False,  # noqa: S701 - a prompt is no HTML
            undefined=StrictUndefined,
            finalize=keep,
            trim_blocks=True,
            keep_trailing_newline=True,
        )
        try:
            text = environment.from_string(self.template).render(inputs)
        except TemplateError as error:
            raise EvaluationError(f"{self.name} cannot be filled in: {error}", code="evaluatorError") from None
        return [restored(part) for part in ROLE.split(text)]
