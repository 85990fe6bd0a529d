"""How many citations a response has."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from pytest_agentevals.errors import MissingInput
from pytest_agentevals.evaluators.base import Evaluator, Exchange, decide
from pytest_agentevals.evaluators.citation_markers import FORMATS, Marker, find_markers
from pytest_agentevals.evaluators.wording import counted, quoted
from pytest_agentevals.responses import Citation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentevals.responses import AgentResponse
    from pytest_agentevals.results import Verdict


class Citations(Evaluator):
    """Whether the response has enough citations; the score is their number.

    Every occurrence counts unless ``distinct`` is set. What counts as a citation in the text is said in
    `pytest_agentevals.evaluators.citation_markers`.
    """

    result_key: ClassVar[str] = "citations"

    threshold: int = Field(default=1, ge=1, description="How many citations are needed to pass.")
    citation_format: str = Field(
        default="mixed",
        min_length=1,
        description=(
            'How citations are written: "bracket" [1], "markdown" [label](url), "oai_unicode" markers between U+E200 '
            'and U+E201, "mixed" or "auto" for all of them. Other names count as "mixed".'
        ),
    )
    distinct: bool = Field(default=False, description="Whether each source counts once, however often it is cited.")
    source: Literal["text", "structured"] = Field(
        default="text",
        description='Where to count: markers in the "text", or the "structured" citations that came beside it.',
    )

    def evaluate(self, exchange: Exchange) -> Verdict:
        """Count; raises `MissingInput` where structured citations are wanted and the response says nothing of them."""
        notes: tuple[str, ...] = ()
        if self.source == "structured":
            found, format_found = _structured(exchange.response), "structured"
        else:
            wanted = self.citation_format if self.citation_format in FORMATS else "mixed"
            if wanted == "mixed" and self.citation_format not in {"mixed", "auto"}:
                notes = (f'citation_format {quoted(self.citation_format)} is not known and counts as "mixed"',)
            markers = find_markers(exchange.response.text, wanted)
            found, format_found = _resolved(markers), _one_of({marker.format for marker in markers}, wanted)
        if self.distinct:
            found = list({_identity(citation, place): citation for place, citation in enumerate(found)}.values())
        noun = "distinct source" if self.distinct else "citation"
        return decide(
            len(found),
            threshold=self.threshold,
            scale=(0, None),
            reason=f"the response has {counted(len(found), noun)} of at least {self.threshold}",
            notes=notes,
            count=len(found),
            format=format_found,
            citations=[
                {"index": place, **citation.model_dump(mode="json", exclude_none=True)}
                for place, citation in enumerate(found, 1)
            ],
        )


def _structured(response: AgentResponse) -> list[Citation]:
    if response.citations is None:
        raise MissingInput('the response has no structured "citations" to count')
    return list(response.citations)


def _resolved(markers: Iterable[Marker]) -> list[Citation]:
    """Turn markers into citations; a bare ``[1]`` gets the target of a ``[1](url)`` elsewhere in the text."""
    markers = list(markers)
    targets: dict[int | None, str] = {marker.number: marker.source for marker in markers if marker.source}
    return [
        Citation(index=marker.number, text=marker.text, source=marker.source or targets.get(marker.number))
        for marker in markers
    ]


def _identity(citation: Citation, place: int) -> object:
    """Return what tells one source from another; a citation that says nothing is its own."""
    return citation.source or citation.index or citation.text or ("unnamed", place)


def _one_of(formats: set[str], otherwise: str) -> str:
    """Return the format found, or the one looked for where none or several were found."""
    return formats.pop() if len(formats) == 1 else otherwise
