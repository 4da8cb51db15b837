"""A small judged comparison that is made without a graph: twelve questions, two systems, two judges by rules.

Question i asks where the thing that a town has is made; its two gold chunks lie in two clusters. The system
"good" shows both and is right but every fourth time; "poor" shows the first alone and says another's answer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kg.text.tokens import count_tokens
from services.comparison.archive import ROLES, Comparison, JudgeRole, Look
from services.comparison.collect import questions_at
from services.comparison.judging.calibration import CalibrationRow
from services.comparison.judging.known_answers import make_items
from services.comparison.judging.model_judge import rules_judge
from services.comparison.locking import Lock
from services.comparison.pool import drawn_by, pool_hash
from services.comparison.protocol import Protocol, protocol_hash
from services.comparison.records import (
    Answer,
    Candidates,
    Chunk,
    GoldHop,
    Judgement,
    Question,
    RunRecord,
    Shown,
)
from services.comparison.rejudging import items_of, judge_of, try_judge
from tests.examples import read_examples

QUESTIONS = 12
LOCKED_AT = "2026-11-01T12:00:00.123456789Z"
BEGUN_AT = "2026-11-01T12:05:00Z"

_FACTS = read_examples("services/comparison/made_comparison")["facts"]
"""A town, a thing that it has, and who made that."""

PROTOCOL: dict[str, Any] = read_examples("services/comparison/made_comparison")["protocol"]


def made_chunks() -> dict[str, Chunk]:
    """Two chunks a question: what its town has, and who made that."""
    texts = {}
    for place, (town, thing, maker) in enumerate(_FACTS):
        texts[f"chunk-{place:02d}a"] = f"The town of {town} keeps an old {thing} beside its market."
        texts[f"chunk-{place:02d}b"] = f"The {thing} of {town} was made by {maker} of Oster Street."
    return {
        name: Chunk(name, f"article-{name}", name, text, count_tokens(text), f"article-{name}")
        for name, text in texts.items()
    }


def made_questions() -> tuple[Question, ...]:
    """Three questions share a cluster."""
    chunks = made_chunks()
    return tuple(
        Question(
            id=f"question-{place:02d}",
            text=f"Who made the old thing beside the market of {_FACTS[place][0]}?",
            answer=_FACTS[place][2],
            accepted=(),
            kind="chain",
            query_type="inference",
            hops=2,
            bin=place % 4 + 1,
            cluster=f"cluster-{place // 3}",
            gold=tuple(
                GoldHop(hop, name, chunks[name].text, chunks[name].cluster)
                for hop, name in ((1, f"chunk-{place:02d}a"), (2, f"chunk-{place:02d}b"))
            ),
            crossings={"time": place % 2},
        )
        for place in range(QUESTIONS)
    )


def made_pool() -> tuple[Candidates, ...]:
    """A question's own chunks, and those of the next two."""
    return tuple(
        Candidates(
            f"question-{place:02d}",
            tuple(
                (f"chunk-{(place + step) % QUESTIONS:02d}{part}", round(0.9 - 0.1 * step, 6))
                for step in range(3)
                for part in "ab"
            ),
        )
        for place in range(QUESTIONS)
    )


def made_answer(system: str, question: Question) -> Answer:
    """What a system gives."""
    place = int(question.id[-2:])
    good = system == "good"
    parts = "ab" if good else "a"
    shown = tuple(Shown(f"chunk-{place:02d}{part}", rank, 1) for rank, part in enumerate(parts, start=1))
    chunks = made_chunks()
    text = question.answer if good and place % 4 else _FACTS[(place + 5) % QUESTIONS][2]
    return Answer(
        system=system,
        question=question.id,
        text=text,
        error="",
        abstained=False,
        evidence=shown,
        cited=tuple(one.chunk for one in shown[-1:]),
        evidence_tokens=sum(chunks[one.chunk].tokens for one in shown),
        answer_tokens=count_tokens(text),
        seconds=0.25,
    )


def made_protocol(**changes: object) -> Protocol:
    """The protocol, with fields of its first level changed."""
    protocol = Protocol.model_validate({**PROTOCOL, **changes})
    pool = protocol.pool.model_copy(update={"hash": pool_hash(drawn_by(protocol.pool), made_pool())})
    return protocol.model_copy(update={"pool": pool})


def made_run(system: str, **changes: object) -> RunRecord:
    """What is recorded of a system's run."""
    record = RunRecord(
        system=system,
        run=f"small/{system}",
        ours=True,
        answered_here=True,
        made_by=f"single-step over {system}",
        generator="rules-1",
        prompts=(),
        embedder="minilm",
        dataset="v-0123456789ab",
        started_at=BEGUN_AT,
        finished_at="2026-11-01T12:06:00Z",
    )
    return replace(record, **changes)  # type: ignore[arg-type]


def made_comparison(look: int = 2, protocol: Protocol | None = None) -> Comparison:
    """The whole comparison at a look."""
    protocol = protocol or made_protocol()
    sample, chunks = made_questions(), made_chunks()
    questions = questions_at(protocol, sample, look)
    answers = {
        one.name: tuple(made_answer(one.name, question) for question in questions) for one in protocol.systems
    }
    return Comparison(
        protocol=protocol,
        lock=Lock(protocol_hash(protocol), LOCKED_AT, "0.1.0"),
        look=Look(look, len(questions), len(sample)),
        questions=questions,
        runs=tuple(made_run(one.name) for one in protocol.systems),
        chunks=tuple(chunks.values()),
        pool=made_pool(),
        answers=answers,
        judgements={role: _judged(protocol, role, questions, answers) for role in ROLES},
        calibration={role: _calibrated(protocol, role) for role in ROLES},
        sample=sample,
    )


def _judged(
    protocol: Protocol,
    role: JudgeRole,
    questions: Iterable[Question],
    answers: Mapping[str, tuple[Answer, ...]],
) -> dict[str, tuple[Judgement, ...]]:
    judge, asked = rules_judge(judge_of(protocol, role).name), tuple(questions)
    return {
        system: tuple(judge.judge(tuple(items_of(asked, rows, made_chunks()))))
        for system, rows in answers.items()
    }


def _calibrated(protocol: Protocol, role: JudgeRole) -> tuple[CalibrationRow, ...]:
    pool = {one.question: one for one in made_pool()}
    items = make_items(made_questions(), made_chunks(), pool, protocol)
    return tuple(try_judge(rules_judge(judge_of(protocol, role).name), items))
