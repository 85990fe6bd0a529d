"""The output of ``agentevals list``."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_agentevals.cli.findings import uri
from pytest_agentevals.cli.forecast import Forecast, cost, total
from pytest_agentevals.cli.questions import BYTES_PER_TOKEN, PLACEHOLDER, SCORE_TOKENS
from pytest_agentevals.documents.wording import relative
from pytest_agentevals.engine.judging import Mode
from pytest_agentevals.reports.failure import plural
from pytest_agentevals.reports.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentevals.cli.checking import Checked
    from pytest_agentevals.cli.forecast import Plan
    from pytest_agentevals.cli.questions import Question
    from pytest_agentevals.documents.load import LoadedItem

METHOD = (
    f"Tokens are estimated: {BYTES_PER_TOKEN} bytes of the rendered prompts each, a response that is not recorded as "
    f"{len(PLACEHOLDER) // BYTES_PER_TOKEN} tokens, and {SCORE_TOKENS} tokens for each score of an answer."
)

#: Columns of names, where a longer one does not push all others aside.
WIDEST = 48

Listed = tuple["Checked", "list[Forecast]"]


def as_text(listed: Sequence[Listed], plan: Plan) -> Iterator[str]:
    """Yield the items of each document with their evaluators, then what a run takes."""
    for checked, _ in listed:
        items = checked.document.items if checked.document else ()
        yield one_line(f"{relative(checked.path)}: {plural(len(items), 'item')}")
        names = [one_line(item.id + (f" ({plural(len(item.turns), 'turn')})" if item.thread else "")) for item in items]
        width = min(max(map(len, names)), WIDEST)
        for name, item in zip(names, items, strict=True):
            tags = "".join(f" [{tag}]" for tag in item.tags)
            yield f"  {name:{width}}  {one_line(evaluators(item) + tags)}"
    yield ""
    yield from summary(listed, plan)
    if any(question.tokens for question in total(each for _, taken in listed for each in taken).left(plan.mode)):
        yield METHOD


def evaluators(item: LoadedItem) -> str:
    """Name the evaluators of an item, with the number of turns that have them where it is more than one."""
    counts = Counter(name for turn in item.turns for name in turn.options)
    return ", ".join(name if count == 1 else f"{name} x{count}" for name, count in counts.items()) or "no evaluators"


def summary(listed: Sequence[Listed], plan: Plan) -> Iterator[str]:
    """Yield how much there is, and what it takes."""
    whole = total(each for _, forecasts in listed for each in forecasts)
    mode = "" if plan.mode in {Mode.AUTO, Mode.RECORD} else f" (evals_judge = {plan.mode})"
    items = [item for checked, _ in listed if checked.document for item in checked.document.items]
    counts = (plural(len(listed), "document"), plural(len(items), "item"))
    yield f"{', '.join(counts)}, {plural(sum(len(item.turns) for item in items), 'prompt')}"
    asking = "not asked" if plan.mode is Mode.REPLAY else f"{len(whole.requests)} to ask where an agent is configured"
    heard = plural(sum(whole.requests.values()), "response")
    yield f"agent   {plural(len(whole.requests), 'prompt')}; {heard} recorded; {asking}{mode}"
    asked, left = whole.distinct, whole.left(plan.mode)
    recorded = sum(question.recorded for question in asked)
    models = one_line(", ".join(dict.fromkeys(question.model or "a judge" for question in asked)))
    aimed = f" to {models}" if asked else ""
    yield f"judge   {plural(len(asked), 'question')}{aimed}; {recorded} recorded; {len(left)} to ask{mode}"
    for name, count in Counter(question.evaluator for question in asked).items():
        yield f"        {count:>6}  {one_line(name)}"
    yield f"tokens  {tokens(left)}"
    yield f"cost    {one_line(price(left, plan))}"


def tokens(left: Sequence[Question]) -> str:
    """Say how many tokens questions and answers have, roughly."""
    if not left:
        return "0"
    known = [question.tokens for question in left if question.tokens]
    unknown = len(left) - len(known)
    text = f"about {sum(t.prompt for t in known):,} in questions, {sum(t.completion for t in known):,} in answers"
    return f"{text}; of {plural(unknown, 'question')} it is not known" if unknown else text


def price(left: Sequence[Question], plan: Plan) -> str:
    """Say what questions cost; what is not known is not nothing."""
    found = cost(left, plan.prices)
    if found is None:
        models = ", ".join(
            dict.fromkeys(question.model or "the judge" for question in left if question.model not in plan.prices)
        )
        return (
            f"unknown: no price of {models} (--prompt-price and --completion-price, or the setting evals_judge_prices)"
        )
    at_least = "at least " if any(question.tokens is None for question in left) else ""
    return f"{at_least}{found:.4g}"


def as_json(listed: Sequence[Listed], plan: Plan) -> str:
    """Write all of it, for programs."""
    whole = total(each for _, forecasts in listed for each in forecasts)
    documents = [
        {
            "path": uri(checked.path, quoted=False),
            "items": [
                _item(item, each)
                for item, each in zip(checked.document.items if checked.document else (), forecasts, strict=True)
            ],
        }
        for checked, forecasts in listed
    ]
    left = whole.left(plan.mode)
    known = [question.tokens for question in left if question.tokens]
    totals = {
        **_counts(whole),
        "to_ask": len(left),
        "prompt_tokens": sum(each.prompt for each in known),
        "completion_tokens": sum(each.completion for each in known),
        "questions_without_estimate": len(left) - len(known),
        "cost": cost(left, plan.prices),
    }
    return json.dumps({"documents": documents, "total": totals, "method": METHOD}, indent=2, ensure_ascii=False)


def _item(item: LoadedItem, taken: Forecast) -> dict[str, Any]:
    return {
        "id": item.id,
        "line": item.line,
        "tags": list(item.tags),
        "turns": [{"prompt": turn.prompt, "evaluators": list(turn.options)} for turn in item.turns],
        **_counts(taken),
    }


def _counts(taken: Forecast) -> dict[str, int]:
    asked = taken.distinct
    return {
        "requests": len(taken.requests),
        "responses_recorded": sum(taken.requests.values()),
        "questions": len(asked),
        "questions_recorded": sum(question.recorded for question in asked),
    }
