"""Judgements computed again from an archive: whole ones of rules, and the measures of a model's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from kg.store.graph import batches
from services.standard.archive import Comparison, JudgeRole
from services.standard.calibration.figures import CalibrationRow
from services.standard.calibration.items import make_items
from services.standard.calibration.trial import try_judge
from services.standard.differences import Difference, differing_values
from services.standard.judging.choose import rules_judge
from services.standard.judging.justify import failed_judgement, measured_judgement
from services.standard.judging.measures import gold_hops, shown_steps, used_chunks
from services.standard.judging.model_judge import SCORES
from services.standard.judging.plain_verdicts import plain_verdict
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
            items = items_of(comparison.questions, answers, chunks)
            computed = (as_judged(named.name, item, said) for item, said in zip(items, archived, strict=True))
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
    if len(known) < len(archived):
        yield Difference(place, f"{len(archived):,} rows", f"{len(known):,}, the others being doubles")
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


def as_judged(judge: str, item: Item, said: Judgement) -> Judgement:
    """What a model said of an answer, with all that follows from it computed again.

    Taken are his verdict, his reason, and what he found in the evidence that was shown; what no judge has to
    weigh is not.
    """
    if said.failed or said.score is None or said.score not in SCORES.values():
        return failed_judgement(judge, item, said.failed or "it is no verdict")
    answer, hops = item.answer, len(gold_hops(item.question))
    searches = frozenset(shown_steps(answer).values())
    steps = tuple(step if step in searches else 0 for step in (*said.hop_steps, *[0] * hops)[:hops])
    used = used_chunks(answer) if item.question.gold else ()
    supports = {chunk: said.supports.get(chunk, False) for chunk in used}
    decided = plain_verdict(item) or (said.score, said.why.get("verdict", ""))
    return measured_judgement(judge, item, *decided, steps, supports)


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
                yield as_judged(self.name, item, kept)

    def reword(self, items: Sequence[Item]) -> Iterator[str]:
        own = {
            (str(row.category), row.question): row.text for row in self.rows if row.variant == "own wording"
        }
        for item in items:
            category = item.system.partition("; ")[0]
            yield own.get((category, item.question.id), "")


def _judged_again(
    named: Judge, questions: Sequence[Question], answers: Iterable[Answer], chunks: Mapping[str, Chunk]
) -> Iterator[Judgement]:
    judge = rules_judge(named.name)
    for items in batches(items_of(questions, answers, chunks), ITEMS_A_BATCH):
        yield from judge.judge(items)
