"""Two dozen questions of two hops over a valley of firms, and judges with known faults to try on them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from kg.ids import content_hash
from services.comparison.judging.calibration import CalibrationFigures, calibration_figures
from services.comparison.judging.known_answers import CalibrationItem, make_items
from services.comparison.judging.measures import Item
from services.comparison.judging.model_judge import rules_judge
from services.comparison.protocol import (
    Answering,
    Budget,
    Calibration,
    CandidatePool,
    Dataset,
    Hypothesis,
    Judge,
    Protocol,
    Seeds,
    SystemUnderTest,
)
from services.comparison.records import Candidates, Chunk, GoldHop, Judgement, Question
from services.comparison.rejudging import try_judge

FIRMS = ("Halden Shipping", "Kald Foods", "Norholm Bank", "Corrin Works", "Verrin Mills", "Ostby Boats")
PERSONS = ("Mira Tolland", "Anton Brask", "Ivo Darrow", "Orla Venning")
COUNT = len(FIRMS) * len(PERSONS)
Fault: TypeAlias = Callable[[Item, Judgement], Judgement]
"""What a judge makes of a fair judgement."""
OWN = "To my mind"
"""How the judges of these tests begin what they say in their own words."""


def _world() -> tuple[list[Question], dict[str, Chunk], dict[str, Candidates]]:
    questions, chunks = [], {}
    for number in range(COUNT):
        firm, person = FIRMS[number % len(FIRMS)], PERSONS[number % len(PERSONS)]
        letter = chr(ord("A") + number)
        town, key = f"{letter}ville", f"{letter}elda {letter}orsen"
        texts = (
            f"In the end {person} moved {firm} to {town}.",
            f"{key} kept the lighthouse of {town}.",
        )
        for hop, text in enumerate(texts, start=1):
            chunks[f"c{number}-{hop}"] = Chunk(
                f"c{number}-{hop}", f"a{number}", firm, text, 14, f"k{number % 5}"
            )
        questions.append(
            Question(
                id=f"q{number:02}",
                text=f"Who kept the lighthouse of the town where {person} moved {firm}?",
                answer=key,
                accepted=(),
                kind="chain",
                query_type="inference",
                hops=2,
                bin=None,
                cluster=f"cluster {number % 8}",
                gold=tuple(
                    GoldHop(hop, f"c{number}-{hop}", text, f"k{number % 5}")
                    for hop, text in enumerate(texts, start=1)
                ),
            )
        )
    pool = {
        question.id: Candidates(
            question.id,
            tuple(
                (f"c{(number + step) % COUNT}-{hop}", 1 / (step + 1)) for step in range(4) for hop in (1, 2)
            ),
        )
        for number, question in enumerate(questions)
    }
    return questions, chunks, pool


QUESTIONS, CHUNKS, POOL = _world()
MODEL = Judge(kind="model", name="scripted")
BOUNDS = Calibration(questions=COUNT, repeats=2)


def protocol(calibration: Calibration = BOUNDS, seed: int = 0) -> Protocol:
    """A protocol that says how judges are tried."""
    return Protocol(
        name="trial",
        dataset=Dataset(corpus="valley", version="v"),
        pool=CandidatePool(retriever="bm25", hash="h"),
        budget=Budget(evidence_tokens=120),
        generator=Answering(kind="rules", name="rules-reader-1"),
        judge=MODEL,
        second_judge=Judge(kind="rules", name="exact"),
        calibration=calibration,
        systems=(SystemUnderTest(name="a", selector="top-k"), SystemUnderTest(name="b", selector="mmr")),
        hypotheses=(Hypothesis(id="H1", system="b", against="a", smallest=0.05),),
        seeds=Seeds(calibration=seed),
    )


def items(calibration: Calibration = BOUNDS, seed: int = 0) -> tuple[CalibrationItem, ...]:
    """What judges are tried with."""
    return make_items(QUESTIONS, CHUNKS, POOL, protocol(calibration, seed))


@dataclass(frozen=True)
class FaultyJudge:
    """A judge by the lenient rules whose judgements `fault` changes; `reword_one` is how he words answers."""

    fault: Fault = lambda _, found: found
    reword_one: Callable[[Item], str] = lambda item: f"{OWN}, {item.answer.text}"
    name: str = "scripted"

    def judge(self, items: Sequence[Item]) -> Iterator[Judgement]:
        """The judgement by the rules, changed."""
        fair = rules_judge("overlap")
        return (self.fault(item, replace(fair.judge_one(item), judge=self.name)) for item in items)

    def reword(self, items: Sequence[Item]) -> Iterator[str]:
        """The answers in other words."""
        return map(self.reword_one, items)


def tried(fault: Fault = lambda _, found: found, named: Judge = MODEL) -> CalibrationFigures:
    """The figures of a judge with this fault."""
    return calibration_figures(named, try_judge(FaultyJudge(fault), items()), BOUNDS)


def chance(item: Item, *salt: str) -> float:
    """A number from 0 to 1 that question, answer and salt decide."""
    parts = (item.question.id, item.answer.text, *salt)
    return int(content_hash(parts, 8), 16) / 16**8
