"""A trace made by hand: three hops, of which the last was never seen, and texts that would be markup."""

from dataclasses import replace

from kg.model import ChunkSource
from services.evaluate.causes import Attribution
from services.traces.shown import GoldHop, SeenChunk, ShownStep, ShownTrace

EVIL = '<script>alert("1")</script> ```\n# head | bar `tick`'


def chunk(rank: int, name: str, *hops: int, text: str = "A sentence.") -> SeenChunk:
    return SeenChunk(f"chunk-{name}", f"article-{name}", f"Title {name}", rank, 1 / rank, text, hops)


def step(index: int, action: str, **given: object) -> ShownStep:
    plain = ShownStep(index, action, "", "", False, None, "", "", "", "", 0, 0, None, ())
    return replace(plain, **given)  # type: ignore[arg-type]


def hop(number: int, first_seen: int | None, right: bool | None = None) -> GoldHop:
    evidence = (ChunkSource(f"chunk-{number}", f"article-{number}", f"Title {number}"),)
    return GoldHop(
        number,
        f"Thing {number} leads to {number + 1}",
        f"Part {number}?",
        f"{number}",
        evidence,
        first_seen,
        right,
    )


STEPS = (
    step(1, "plan", observation="first this, then that"),
    step(
        2, "search", query="thing one", retrieves=True, top_k=3, thought="start", seconds=0.5,
        observation="3 chunks", seen=(chunk(1, "9"), chunk(2, "1", 1), chunk(3, "8", text=EVIL)),
    ),
    step(
        3, "search", query=EVIL, retrieves=True, top_k=2, filters="source: The Courier", input_tokens=10,
        seen=(chunk(1, "2", 2), chunk(2, "1", 1)),
    ),
    step(4, "search", query="thing one", observation="asked before", retrieves=True, fault="repeated query"),
    step(5, "answer", observation="Wrong"),
)  # fmt: skip

TRACE = ShownTrace(
    answer="answer-1", run="react", system="react", generator="some-model", question="question-1",
    text=f"Which thing? {EVIL}", kind="chain", query_type="inference", hops=3, gold="Right",
    accepted=("Right", "The right one"), answer_text=EVIL, correct=False, abstained=False, error="",
    judged_by="exact match", score=None, seconds=2.0, input_tokens=10, output_tokens=0,
    cost=None, prompts=("react@1",), retrieval_reported=True, steps=STEPS,
    chain=(hop(1, 2, True), hop(2, 3, False), hop(3, None)),
    failure=Attribution("planning", 3, f"no step asked for hop 3 {EVIL}"),
    behaviours=("loops", "stops early"),
)  # fmt: skip
