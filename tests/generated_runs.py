"""Runs of all shapes, for hypothesis."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from pytest_agentevals.reports.cases import ItemRun, Kind, Trouble
from pytest_agentevals.reports.comparison import Change, Comparison, EvaluatorChange
from pytest_agentevals.reports.gates import GateResult
from pytest_agentevals.reports.run import About, EvaluatedItem, Run
from pytest_agentevals.responses import (
    AgentResponse,
    Citation,
    Extract,
    IssuedQuery,
    RetrievalExecution,
    RetrievalHit,
    SelectedFunction,
    ToolCallEvidence,
    ToolExecution,
    Usage,
)
from pytest_agentevals.results import ItemResult, JudgeUsage, Outcome, TurnError, TurnResult, Verdict, packed

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = texts.filter(bool)
seconds = st.floats(0, 1e6)
counts = st.integers(0, 10**9)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
maps = st.dictionaries(texts.filter(lambda key: key != "pytest-agentevals"), plain, max_size=2)


def or_none(strategy):
    return st.none() | strategy


usages = st.builds(
    JudgeUsage,
    model=texts,
    prompt_tokens=or_none(counts),
    completion_tokens=or_none(counts),
    requests=counts,
    seconds=seconds,
    cost=or_none(seconds),
    replayed=st.booleans(),
)
LIKERT = ("Relevance", "Coherence", "Groundedness", "Similarity", "Fluency")
OTHERS = ("Rubric", "Contains", "contains", "tone", "F1Score", "f1Score")
ALL = (*LIKERT, *OTHERS, "Citations", "ExactMatch", "PartialMatch", "RetrievalQuery", "RetrievalResult", "Latency")


@st.composite
def verdicts(draw, evaluator, level="turn", part="", deep=1):
    common = {
        "evaluator": evaluator,
        "level": level,
        "reason": draw(texts),
        "notes": tuple(draw(st.lists(texts, max_size=2))),
        "usage": draw(or_none(usages)),
        "seconds": draw(seconds),
        "part": part,
    }
    if deep and draw(st.booleans()):
        labels = draw(st.lists(texts, min_size=1, max_size=2))
        common["parts"] = tuple(draw(verdicts(evaluator, level, label, deep - 1)) for label in labels)
    outcome = draw(st.sampled_from(Outcome))
    details = draw(maps).items()
    common["details"] = {key: value for key, value in details if key not in {"score", "result", "threshold", "reason"}}
    if outcome is Outcome.ERROR:
        return Verdict(outcome=outcome, code=draw(names), **common)
    if outcome is Outcome.NOT_APPLICABLE:
        return Verdict(outcome=outcome, threshold=draw(or_none(counts)), **common)
    return Verdict(outcome=outcome, **draw(decided(evaluator)), **common)


@st.composite
def decided(draw, evaluator):
    """What a pass or a fail has, for one answer and, now and then, for the mean of several."""
    share, likert = st.floats(0, 1), st.floats(1, 5) | st.integers(1, 5)
    if evaluator in LIKERT:
        return {"score": draw(likert), "threshold": draw(likert), "scale": (1, 5)}
    if evaluator == "ExactMatch":
        return {"score": draw(st.booleans() | share)}
    if evaluator == "Citations":
        return {"score": draw(counts | st.floats(0, 9)), "threshold": draw(st.integers(1, 9)), "scale": (0, None)}
    if evaluator in OTHERS:
        return {"score": draw(or_none(st.floats(-9, 9))), "threshold": draw(st.integers(-9, 9)), "scale": (0, None)}
    return {"score": draw(share), "threshold": draw(share)}


citations = st.builds(
    Citation, index=or_none(st.integers(1, 9)), text=or_none(texts), source=or_none(texts), more=plain
)
extracts = st.builds(Extract, text=or_none(texts))
hits = st.builds(
    RetrievalHit,
    rank=or_none(counts),
    webUrl=or_none(texts),
    extracts=st.lists(extracts, max_size=2).map(tuple),
    title=plain,
)
executions = st.builds(
    RetrievalExecution,
    capability=or_none(texts),
    status=or_none(texts),
    totalResultCount=or_none(counts),
    queries=st.lists(st.builds(IssuedQuery, queryString=or_none(texts)), max_size=2).map(tuple),
    retrievalHits=st.lists(hits, max_size=2).map(tuple),
)
tool_calls = st.builds(
    ToolCallEvidence,
    selected_functions=or_none(
        st.lists(st.builds(SelectedFunction, plugin_name=or_none(texts)), max_size=2).map(tuple)
    ),
    executions=or_none(st.lists(st.builds(ToolExecution, response_status=or_none(counts)), max_size=2).map(tuple)),
    evidence_error=or_none(texts),
)
responses = st.builds(
    AgentResponse,
    text=texts,
    citations=or_none(st.lists(citations, max_size=2).map(tuple)),
    retrieval_executions=or_none(st.lists(executions, max_size=2).map(tuple)),
    tool_calls=or_none(tool_calls),
    tool_definitions=or_none(st.lists(maps, max_size=2).map(tuple)),
    usage=or_none(st.builds(Usage, prompt_tokens=or_none(counts), completion_tokens=or_none(counts), more=plain)),
    latency_ms=or_none(seconds),
)

OPTIONS = {
    "Citations": [{}, {"threshold": 2, "citation_format": "mixed"}, {"distinct": True}],
    "ExactMatch": [{}, {"case_sensitive": False}, {"options": {"case_sensitive": False}}],
    "PartialMatch": [{}, {"threshold": 0.25}],
    "RetrievalQuery": [{"capability": "c", "selector": "s", "includes": ["i"]}],
    "RetrievalResult": [{"capability": "c", "min_expected_count": 1}, {"min_expected_count": 1}],
    "Contains": [{"any": ["yes"]}, {"options": {"any": ["yes"]}}],
    "Latency": [{"max_ms": 5}],
    "tone": [{}, {"threshold": 2, "options": {"a": 1}}, {"model": "m"}],
    "F1Score": [{}, {"threshold": 0.25}],
    "Rubric": [{"threshold": 0.5, "rubric": "r.json"}],
}
JUDGED = [{}, {"threshold": 3}, {"threshold": 3, "model": "m"}]


@st.composite
def turns(draw, prompt, evaluators, index):
    """Return a turn of some evaluators, which may have no response."""
    turn = TurnResult(
        prompt=prompt, index=index, evaluators=tuple(evaluators), source=draw(or_none(st.sampled_from(["asked"])))
    )
    if draw(st.integers(0, 3)) == 0:
        return replace(turn, error=TurnError(code=draw(names), message=draw(names)))
    level = draw(st.sampled_from(["turn", "conversation"]))
    found = [draw(verdicts(name, level)) for name in evaluators]
    return replace(turn, response=draw(responses), verdicts=found)


@st.composite
def items(draw, number, document):
    thread = draw(st.booleans())
    about = draw(st.sampled_from([{}, {"extensions": {"id": "i", "notes": {"a": [1, None]}}}]))
    prompts = draw(st.lists(names, min_size=1, max_size=2 if thread else 1))
    asked = [
        {"prompt": prompt} | draw(st.sampled_from([{}, {"context": "c"}, {"allowed_tools": ["t"]}]))
        for prompt in prompts
    ]
    content = {"name": draw(texts), "turns": asked, **about} if thread else {**asked[0], **about}
    chosen = [draw(st.lists(st.sampled_from(ALL), max_size=3, unique=True)) for _ in prompts]
    options = tuple({name: draw(st.sampled_from(OPTIONS.get(name, JUDGED))) for name in each} for each in chosen)
    run = ItemRun(
        f"{document}::item {number}",
        draw(st.integers(1, 99)),
        troubles=draw(st.lists(st.builds(Trouble, st.sampled_from(Kind), names, texts, texts), max_size=1)),
        xfail=draw(or_none(names)),
        seconds=draw(seconds),
        of=draw(or_none(st.integers(1, 99))),
        tolerated=draw(st.dictionaries(texts, texts, max_size=1)),
        worker=draw(st.sampled_from(["", "gw0"])),
    )
    if draw(st.booleans()):
        results = [
            ItemResult(
                turns=[
                    draw(turns(prompt, each, place if thread else 0))
                    for place, (prompt, each) in enumerate(zip(prompts, chosen, strict=True), 1)
                ]
            )
            for _ in range(draw(st.integers(1, 3)))
        ]
        run.result = packed(results[0] if len(results) == 1 else summed_up(results))
    identifier = f"item {number} (gw0)" if run.worker else f"item {number}"
    tags = tuple(draw(st.lists(texts, max_size=2, unique=True)))
    return EvaluatedItem(run=run, id=identifier, document=document, tags=tags, content=content, evaluators=options)


def summed_up(repeats):
    """Make one result of several, whose verdicts have those of the repeats as parts."""
    whole = []
    for place, turn in enumerate(repeats[0].turns):
        parts = [
            tuple(
                replace(verdict, part=f"repeat {number}")
                for number, repeat in enumerate(repeats, 1)
                for verdict in repeat.turns[place].verdicts
                if verdict.evaluator == name
            )
            for name in (verdict.evaluator for verdict in turn.verdicts)
        ]
        summed = [replace(verdict, parts=each) for verdict, each in zip(turn.verdicts, parts, strict=True)]
        whole.append(replace(turn, verdicts=summed))
    return ItemResult(turns=whole, repeats=list(repeats))


changes = st.builds(
    Change,
    item=texts,
    document=texts,
    name=texts,
    before=st.sampled_from(Outcome),
    after=st.sampled_from(Outcome),
    before_score=or_none(seconds),
    reason=texts,
)
several = st.lists(changes, max_size=1).map(tuple)
comparisons = st.builds(
    Comparison,
    baseline=texts,
    baseline_started=texts,
    matched=counts,
    added=st.lists(texts, max_size=2).map(tuple),
    regressions=several,
    fixed=several,
    changed=several,
    evaluators=st.lists(
        st.builds(
            EvaluatorChange,
            evaluator=texts,
            pairs=counts,
            worse=counts,
            better=counts,
            before_pass_rate=or_none(seconds),
            after_pass_rate=or_none(seconds),
            before_mean=or_none(seconds),
            after_mean=or_none(seconds),
            outcome_p=or_none(seconds),
            score_p=or_none(seconds),
        ),
        max_size=1,
    ).map(tuple),
)
gates = st.builds(
    GateResult,
    text=texts,
    value=or_none(seconds),
    count=counts,
    met=st.booleans(),
    enforced=st.booleans(),
    reason=texts,
)


@st.composite
def runs(draw):
    """Return a run of one to three items in one or two documents."""
    documents = draw(st.lists(st.sampled_from(["a.json", "b/c.json"]), min_size=1, max_size=3))
    metadata = {
        "name": "Sample",
        "description": "About.",
        "tags": ["t"],
        "extensions": {"team": "x"},
        "createdBy": "me",
    }
    about = About(
        started="2026-11-30T10:00:00+00:00",
        seconds=draw(seconds),
        version="0.1.0",
        versions={"python": "3.12.0"},
        mode=draw(texts),
        judge=draw(texts),
        agent=draw(texts),
        interrupted=draw(st.booleans()),
        repeats=draw(st.integers(1, 9)),
        pass_at=draw(st.integers(1, 9)),
        documents={document: draw(st.sampled_from([{}, metadata])) for document in documents},
    )
    found = tuple(draw(items(number, document)) for number, document in enumerate(documents))
    return Run(
        about=about,
        items=found,
        gates=tuple(draw(st.lists(gates, max_size=1))),
        comparison=draw(or_none(comparisons)),
    )
