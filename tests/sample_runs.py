"""Runs to make reports of, as plain values."""

from __future__ import annotations

from pytest_agentevals.reports.cases import ItemRun, Kind, Trouble
from pytest_agentevals.reports.run import About, EvaluatedItem, Run
from pytest_agentevals.responses import AgentResponse, Citation, Extract, IssuedQuery, RetrievalExecution, RetrievalHit
from pytest_agentevals.results import ItemResult, JudgeUsage, Outcome, TurnError, TurnResult, Verdict, packed

#: Text that would do harm in one format or another, if it were let.
HOSTILE = (
    "<script>document.title = 'owned'</script><img src=x onerror=alert(1)> \x1b]8;;http://evil.example\x07click\x1b]8;;\x07"
    " =cmd|'/c calc'!A1 ]]> | pipe `tick` </details> [link](javascript:alert(1)) ![](http://evil.example/x.png) "
    "\u202eabc"
)


def verdict(name, score, *, threshold=3, scale=(1, 5), reason="Because.", judged=True, **rest):
    usage = JudgeUsage(model="gpt-4o", prompt_tokens=100, completion_tokens=20, cost=0.001, seconds=0.5)
    return Verdict(
        outcome=Outcome.PASS if score >= threshold else Outcome.FAIL,
        evaluator=name,
        score=score,
        threshold=threshold,
        scale=scale,
        reason=reason,
        usage=usage if judged else None,
        seconds=0.5,
        **rest,
    )


def error(name, *, code="judgeTimeout", reason="no answer within 120 s"):
    return Verdict(outcome=Outcome.ERROR, evaluator=name, code=code, reason=reason, seconds=1.0)


def turn(prompt, *verdicts, text="An answer.", index=0, expected=None, **rest):
    response = AgentResponse(text=text, latency_ms=1200.5, **rest)
    return TurnResult(
        prompt=prompt,
        index=index,
        expected_response=expected,
        evaluators=tuple(each.evaluator for each in verdicts),
        response=response,
        source="asked",
        verdicts=list(verdicts),
    )


def asked(turn):
    """Return a turn as its document has it."""
    expected = {} if turn.expected_response is None else {"expected_response": turn.expected_response}
    return {"prompt": turn.prompt, **expected}


def evaluated(name, *turns, document="datasets/hr.json", line=3, tags=(), troubles=(), content=None, **rest):
    result = ItemResult(turns=list(turns)) if turns else None
    run = ItemRun(
        f"{document}::{name}",
        line,
        result=packed(result) if result else None,
        troubles=list(troubles),
        seconds=1.5,
        **rest,
    )
    prompts = [asked(each) for each in turns] or [{"prompt": name}]
    default = prompts[0] if len(prompts) == 1 and not (turns and turns[0].index) else {"turns": prompts}
    return EvaluatedItem(
        run=run,
        id=name,
        document=document,
        tags=tuple(tags),
        content={**default, "extensions": {"id": name}} if content is None else content,
        evaluators=tuple({each: {} for each in turn.evaluators} for turn in turns) or ({},),
    )


def run_of(*items, seconds=12.5, **rest):
    about = About(
        started="2026-11-30T10:00:00+00:00",
        seconds=seconds,
        version="0.1.0",
        versions={"python": "3.12.0", "pytest": "9.2.0"},
        mode="auto",
        judge="gpt-4o auto",
        agent="app.bot:ask",
        documents={item.document: {"name": "Sample"} for item in items},
    )
    return Run(about=about, items=items, **rest)


def sample_run(**rest):
    """Return a run with a bit of everything."""
    rubric = {
        "rubric_name": "tone",
        "properties": {
            "dimension_scores": [
                {"id": "clear", "score": 4, "weight": 5, "applicable": True, "reason": "Plain words."},
                {"id": "polite", "score": 1, "weight": 2, "applicable": True, "reason": "Curt."},
                {"id": "sourced", "score": None, "weight": 1, "applicable": False, "reason": "Nothing to cite."},
            ]
        },
    }
    hits = RetrievalExecution(
        capability="OneDriveAndSharePoint",
        queries=(IssuedQuery(queryString="remote work policy"),),
        retrievalHits=(RetrievalHit(rank=1, webUrl="https://x.example/a", extracts=(Extract(text="Remote work."),)),),
    )
    return run_of(
        evaluated(
            "all-good", turn("May I work from home?", verdict("Relevance", 5), verdict("Coherence", 4)), tags=["smoke"]
        ),
        evaluated(
            "one-fails",
            turn(
                "How many days?",
                verdict("Relevance", 2, reason="It misses the point."),
                verdict("F1Score", 0.25, threshold=0.5, scale=(0, 1), judged=False),
                text="Nobody knows.",
                expected="Thirty days.",
                retrieval_executions=(hits,),
                citations=(Citation(index=1, text="Policy", source="https://x.example/a"),),
            ),
            line=9,
        ),
        evaluated(
            "hostile", turn(HOSTILE, verdict("Relevance", 1, reason=HOSTILE), text=HOSTILE, expected=HOSTILE), line=15
        ),
        evaluated("undecided", turn("Who?", verdict("Relevance", 3), error("Coherence")), document="datasets/it.json"),
        evaluated(
            "thread",
            turn("First?", verdict("Relevance", 4), index=1),
            turn(
                "Second?",
                verdict("Relevance", 5),
                verdict("Tone", 0.6, threshold=0.5, scale=(0, 1), details=rubric),
                index=2,
            ),
            document="datasets/it.json",
            line=12,
        ),
        evaluated(
            "no-answer",
            TurnResult(
                prompt="Hello?",
                evaluators=("Relevance",),
                error=TurnError(code="agentTimeout", message="The agent did not answer within 60 s"),
            ),
            document="datasets/it.json",
            line=30,
        ),
        evaluated(
            "crashed",
            document="datasets/it.json",
            line=40,
            troubles=[Trouble(Kind.ERROR, "workerCrashed", "worker 'gw1' crashed while running it")],
        ),
        **rest,
    )
