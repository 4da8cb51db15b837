"""Judgements computed again from an archive: whole ones of rules, and the measures of a model's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from kg.llm.protocol import Estimate
from kg.store.graph import batches
from services.standard.archive import Comparison, JudgeRole
from services.standard.calibration.figures import CalibrationRow
from services.standard.calibration.items import make_items
from services.standard.calibration.trial import try_judge
from services.standard.differences import Difference, differing_values
from services.standard.judging.choose import rules_judge
from services.standard.judging.justify import failed_judgement
from services.standard.judging.measures import measures_of
from services.standard.judging.protocol import Item
from services.standard.protocol import Judge, Protocol
from services.standard.records import Answer, Chunk, Judgement, Question
from services.standard.verdicts import ITEMS_A_BATCH, items_of


def judge_of(protocol: Protocol, role: JudgeRole) -> Judge:
    """The judge who has a role."""
    return protocol.judge if role == "judge" else protocol.second_judge


def differing_judgements(comparison: Comparison, role: JudgeRole) -> Iterator[Difference]:
    """Where the judgements of a judge, computed again, differ from the archive's.

    Raises:
        SettingsError: the protocol names rules that this version doesn't have.
        InputError: rows can't be read.
    """
    named = judge_of(comparison.protocol, role)
    chunks = {chunk.id: chunk for chunk in comparison.chunks}
    for system, archived in comparison.judgements[role].items():
        place = f"{role.replace('_', ' ')} on {system}"
        answers = comparison.answers[system]
        if named.kind == "rules":
            computed = _judged_again(named, comparison.questions, answers, chunks)
        else:
            computed = map(with_measures, archived, comparison.questions, answers)
        for old, new in zip(archived, computed, strict=True):
            yield from differing_judgement(f"{place}, {old.question}", old, new)


def differing_calibration(comparison: Comparison, role: JudgeRole) -> Iterator[Difference]:
    """Where the rows of a judge's calibration, made anew, differ from the archive's.

    Raises:
        SettingsError: the protocol names rules that this version doesn't have.
        InputError: rows can't be read.
    """
    named = judge_of(comparison.protocol, role)
    chunks = {chunk.id: chunk for chunk in comparison.chunks}
    pool = {candidates.question: candidates for candidates in comparison.pool}
    items = make_items(comparison.sample, chunks, pool, comparison.protocol)
    archived = list(comparison.calibration[role])
    judge = rules_judge(named.name) if named.kind == "rules" else _AsArchived(named.name, archived)
    place = f"calibration of {role.replace('_', ' ')}"
    known = {row.id: row for row in archived}
    for row in try_judge(judge, items):
        if row.id not in known:
            yield Difference(f"{place}, {row.id}", "nothing", "a judgement")
        else:
            yield from differing_values(f"{place}, {row.id}", asdict(known.pop(row.id)), asdict(row))
    for name in known:
        yield Difference(f"{place}, {name}", "a judgement", "nothing")


def differing_judgement(place: str, archived: Judgement, computed: Judgement) -> Iterator[Difference]:
    """Where two judgements differ."""
    if archived != computed:
        yield from differing_values(place, asdict(archived), asdict(computed))


def with_measures(judgement: Judgement, question: Question, answer: Answer) -> Judgement:
    """A judgement with its measures computed again from what the judge found in the evidence."""
    if judgement.failed:
        return judgement
    found = measures_of(question, answer, judgement.hop_steps, judgement.supports)
    return replace(
        judgement,
        hops=tuple(step > 0 for step in judgement.hop_steps),
        cluster_recall=found.cluster_recall,
        hop_consistency=found.hop_consistency,
        evidence_alignment=found.evidence_alignment,
    )


@dataclass(frozen=True, slots=True)
class _AsArchived:
    """A judge who says again what he said, with its measures computed anew."""

    name: str
    rows: Sequence[CalibrationRow]

    def judge(self, items: Sequence[Item]) -> Iterator[Judgement]:
        said = {(row.judgement.system, row.question, row.trial): row.judgement for row in self.rows}
        for item in items:
            kept = said.get((item.system, item.question.id, item.trial))
            if kept is None:
                yield failed_judgement(self.name, item, "it is not in the archive")
            else:
                yield with_measures(kept, item.question, item.answer)

    def reword(self, items: Sequence[Item]) -> Iterator[str]:
        own = {
            (str(row.category), row.question): row.text for row in self.rows if row.variant == "own wording"
        }
        for item in items:
            category = item.system.partition("; ")[0]
            yield own.get((category, item.question.id), "")

    def estimate(self, items: Sequence[Item]) -> Estimate:
        return Estimate(0, 0, 0, 0, None)


def _judged_again(
    named: Judge, questions: Sequence[Question], answers: Iterable[Answer], chunks: Mapping[str, Chunk]
) -> Iterator[Judgement]:
    judge = rules_judge(named.name)
    for items in batches(items_of(questions, answers, chunks), ITEMS_A_BATCH):
        yield from judge.judge(items)
