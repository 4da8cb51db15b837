"""Judged comparisons of any size with planted truth: how good systems are, how far judges err."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from services.comparison.archive import Comparison, JudgeRole, Look
from services.comparison.judging.calibration import CalibrationRow, Category
from services.comparison.locking import Lock
from services.comparison.protocol import Protocol
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

T = TypeVar("T")
Bools = NDArray[np.bool_]

CHUNKS_SHOWN = 8
EXPECTED: Mapping[Category, float] = {
    "right, right evidence": 1.0,
    "right, wrong evidence": 1.0,
    "wrong, right evidence": 0.0,
    "fluent nonsense": 0.0,
    "partly right": 0.5,
}


@dataclass(frozen=True, slots=True)
class PlantedEffects:
    """What is planted: accuracy of each system, how much a cluster moves it, and how often judges err.

    `alike` is the standard deviation of what all systems gain in a cluster, `apart` of what each does.
    `silent` are the shares of questions that systems leave without an answer, wrong ones by preference.
    """

    accuracy: Mapping[str, float] = field(
        default_factory=lambda: {"top-k": 0.5, "mmr": 0.52, "genetic": 0.65, "graph": 0.5}
    )
    questions: int = 400
    clusters: int = 60
    alike: float = 0.2
    apart: float = 0.1
    errors: Mapping[JudgeRole, float] = field(default_factory=lambda: {"judge": 0.0, "second_judge": 0.05})
    trial_errors: Mapping[JudgeRole, float] = field(
        default_factory=lambda: {"judge": 0.0, "second_judge": 0.02}
    )
    silent: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class MadeRows(Generic[T]):
    """Rows that are made when they are gone through."""

    make: Callable[[], Iterator[T]]
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[T]:
        return self.make()


def made_comparison(protocol: Protocol, planted: PlantedEffects, look: int = 1) -> Comparison:
    """A comparison of the systems of a protocol in which the planted truth holds."""
    random = np.random.default_rng(planted.seed)
    clusters = _clusters(random, planted)
    questions = tuple(_question(number, int(cluster)) for number, cluster in enumerate(clusters))
    right = _right(random, planted, clusters)
    names = list(planted.accuracy)
    silent = _silent(random, planted, right)
    right &= ~silent
    verdicts: dict[JudgeRole, Bools] = {
        role: ~silent & (right ^ (random.random(right.shape) < rate)) for role, rate in planted.errors.items()
    }
    judges = {"judge": protocol.judge.name, "second_judge": protocol.second_judge.name}
    return Comparison(
        protocol=protocol,
        lock=Lock("0" * 64, "2026-11-22T08:00:00Z", "0.1.0"),
        look=Look(look, len(questions), len(questions)),
        questions=questions,
        runs=tuple(_run(name) for name in names),
        chunks=tuple(
            Chunk(f"c{number}", f"a{number}", "Title", "Text.", 40, f"k{number % 7}") for number in range(20)
        ),
        pool=MadeRows(lambda: (Candidates(one.id, (("c0", 1.0),)) for one in questions), len(questions)),
        answers={
            name: MadeRows(
                lambda at=at, name=name: _answers(name, questions, right[:, at], silent[:, at]),  # type: ignore[misc]
                len(questions),
            )
            for at, name in enumerate(names)
        },
        judgements={
            role: {
                name: MadeRows(
                    lambda at=at, name=name, role=role: _judgements(  # type: ignore[misc]
                        judges[role], name, questions, verdicts[role][:, at]
                    ),
                    len(questions),
                )
                for at, name in enumerate(names)
            }
            for role in verdicts
        },
        calibration={
            role: tuple(_calibration(judges[role], random, planted.trial_errors[role])) for role in verdicts
        },
    )


def _clusters(random: np.random.Generator, planted: PlantedEffects) -> NDArray[np.int64]:
    """Uneven clusters, each with a question at least, one after the other as a look wants them."""
    weights = random.gamma(1.5, size=planted.clusters)
    rest = random.choice(planted.clusters, planted.questions - planted.clusters, p=weights / weights.sum())
    return np.sort(np.concatenate((np.arange(planted.clusters), rest)))


def _right(random: np.random.Generator, planted: PlantedEffects, clusters: NDArray[np.int64]) -> Bools:
    rates = np.array(list(planted.accuracy.values()))
    all_ = random.normal(0, planted.alike, planted.clusters)[:, None]
    each = random.normal(0, planted.apart, (planted.clusters, len(rates)))
    chances = np.clip(rates + (all_ + each)[clusters], 0, 1)
    found: Bools = random.random(chances.shape) < chances
    return found


def _silent(random: np.random.Generator, planted: PlantedEffects, right: Bools) -> Bools:
    """As many of each system's answers as are planted, those that would be wrong before any other."""
    shares = np.array([planted.silent.get(name, 0.0) for name in planted.accuracy])
    order = np.argsort(np.argsort(right + random.random(right.shape), axis=0), axis=0)
    found: Bools = order < shares * len(right)
    return found


def _question(number: int, cluster: int) -> Question:
    gold = tuple(GoldHop(hop, f"c{hop}", f"Fact {hop}.", f"k{hop}") for hop in (1, 2))
    return Question(
        id=f"q{number}",
        text=f"What is asked as number {number}?",
        answer=f"Answer {number}",
        accepted=(),
        kind="chain",
        query_type="inference",
        hops=2,
        bin=1,
        cluster=f"g{cluster}",
        gold=gold,
        crossings={"claims": number % 3, "time": number % 2},
    )


def _run(name: str) -> RunRecord:
    return RunRecord(
        system=name,
        run=f"made/{name}",
        ours=True,
        answered_here=True,
        made_by="made",
        generator="rules",
        prompts=(),
        embedder="builtin",
        dataset="v1",
        started_at="2026-11-22T08:01:00Z",
    )


def _answers(system: str, questions: tuple[Question, ...], right: Bools, silent: Bools) -> Iterator[Answer]:
    shown = tuple(Shown(f"c{rank}", rank, 1) for rank in range(1, CHUNKS_SHOWN + 1))
    for question, good, nothing in zip(questions, right.tolist(), silent.tolist(), strict=True):
        text = question.answer if good else "" if nothing else "something else"
        cited = () if nothing else ("c1", "c2")
        yield Answer(
            system, question.id, text, "", nothing, shown, cited, 40 * CHUNKS_SHOWN, 0 if nothing else 2
        )


def _judgements(
    judge: str, system: str, questions: tuple[Question, ...], right: Bools
) -> Iterator[Judgement]:
    for place, (question, good) in enumerate(zip(questions, right.tolist(), strict=True)):
        yield Judgement(
            judge=judge,
            system=system,
            question=question.id,
            score=float(good),
            hops=(True, good),
            supports={"c1": True, "c2": good},
            cluster_recall=1.0 if good else 0.5,
            hop_consistency=float(good) if place % 10 else None,
            evidence_alignment=1.0 if good else 0.5,
            why={
                "verdict": "The answer is the accepted one."
                if good
                else "The answer is none of those accepted.",
                "cluster recall": "Of 2 clusters with gold evidence, so many were shown.",
                "hop consistency": "Of 1 pair of hops, so many were shown in order.",
                "evidence alignment": "Of 2 chunks that are cited, so many bear on the answer.",
            },
        )


def _calibration(judge: str, random: np.random.Generator, rate: float) -> Iterator[CalibrationRow]:
    for number in range(40):
        for category, expected in EXPECTED.items():
            errs = bool(random.random() < rate)
            score = expected if not errs else 0.0 if expected == 1.0 else 1.0
            for variant in ("plain", "reversed", "padded", "repeated"):
                evidence = category != "right, wrong evidence"
                said = Judgement(
                    judge=judge,
                    system=f"{category}; {variant}",
                    question=f"q{number}",
                    score=score,
                    hops=(evidence, evidence),
                    supports={"c1": True, "c9": False},
                    cluster_recall=None,
                    hop_consistency=None,
                    evidence_alignment=None,
                    why={},
                )
                yield CalibrationRow(
                    id=f"q{number}/{category}/{variant}",
                    category=category,
                    variant=variant,
                    trial=0,
                    question=f"q{number}",
                    cluster=f"g{number // 2}",
                    text="An answer.",
                    expected=expected,
                    shown=evidence,
                    supporting=("c1",),
                    judgement=said,
                )
