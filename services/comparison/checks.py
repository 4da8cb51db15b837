"""A protocol held against the corpus, the frozen pools and the lock, before a run.

The parts of a protocol before its run: systems, judges, endpoints, evidence, and what it can show.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import sqrt
from pathlib import Path

from kg.corpus import read_properties, require_corpus
from kg.errors import InputError, NothingToDoError, SettingsError, command
from kg.ids import run_id
from kg.llm.protocol import Role
from kg.llm.roles import role_endpoint
from kg.settings import Settings
from kg.store.graph import Graph
from services.comparison.collect import (
    collect_questions,
    known_answers,
    protocol_questions,
    questions_at,
    run_of,
)
from services.comparison.folder import Finding, breach, note, warning
from services.comparison.judging.model_judge import check_judge
from services.comparison.locking import Lock, Locked, changes_since, read_lock, read_locked
from services.comparison.planning import PlannedCalls, PlannedPower, planned_calls, planned_powers
from services.comparison.pool import PoolRecall, chunks_of, frozen_pools, missing_chunks, pool_recall
from services.comparison.pool_systems import check_answering, check_system
from services.comparison.protocol import Protocol, SystemUnderTest, protocol_hash
from services.comparison.records import Candidates, Question
from services.comparison.refusals import judge_breaches
from services.questions.dataset import dataset_version
from services.statistics.intervals import FEW_CLUSTERS
from services.statistics.resampling import EXACT_UP_TO
from services.statistics.several_tests import level_at

ENOUGH_TRIED = 20
"""On fewer questions a trial says little of a judge."""

FEW_LABELLED = 10
"""Of fewer right answers, or fewer others, a share says little."""

ASSUMED_RIGHT = 0.9
"""The sensitivity and specificity for which the uncertainty of a trial is told."""

LONGEST_RUN_NAME = 80
"""What the name of a run may have."""


def check_systems(graph: Graph, protocol: Protocol, locked: bool) -> Iterator[Finding]:
    """Systems that can't run over the pools, or whose runs are missing, or would be refused."""
    for system in protocol.systems:
        place, run = f"systems.{system.name}", run_of(protocol, system)
        if len(run) > LONGEST_RUN_NAME:
            yield breach(place, f"its run would be called {run!r}, which is too long a name.")
        if system.selector is None:
            yield from _own_run(graph, protocol, place, run, locked)
        else:
            yield from _ours(protocol, system, place)


def check_judges(protocol: Protocol) -> Iterator[Finding]:
    """Judges that judge their own answers, or that this version doesn't have."""
    for one in judge_breaches(protocol):
        yield breach("judge", f"{one.system}: {one.found}.")
    yield from _unless("judge", partial(check_judge, protocol.judge))
    yield from _unless("second_judge", partial(check_judge, protocol.second_judge))


def check_calibration(protocol: Protocol) -> Iterator[Finding]:
    """A trial of models so small that it says little of them."""
    tried = protocol.calibration.questions
    if tried >= ENOUGH_TRIED or "model" not in {protocol.judge.kind, protocol.second_judge.kind}:
        return
    spread = 1.96 * sqrt(2 * ASSUMED_RIGHT * (1 - ASSUMED_RIGHT) / tried)
    yield warning(
        "calibration.questions",
        f"each judge is tried on {tried} {'question' if tried == 1 else 'questions'}: the discernment of one "
        f"that is right nine times in ten is then known to about ± {spread:.2f}. More cost some 22 requests "
        "each.",
    )


def check_known(graph: Graph, protocol: Protocol, questions: Sequence[Question]) -> Iterator[Finding]:
    """A run for the trial that has no answer of which it is known whether it is right, or few."""
    run = protocol.calibration.run
    if run is None:
        return
    known = known_answers(graph, protocol, questions, {})
    right = sum(one.right for one in known)
    others = len(known) - right
    sample = command("run sample RUN --out FILE --standard FOLDER --corpus", protocol.dataset.corpus)
    if not known:
        yield breach(
            "calibration.run",
            f"run {run!r} gave no answer to these questions that people labelled or that is an exact match: "
            f"let people label some ({sample}), or leave it out.",
        )
    elif known[0].by == "exact match":
        yield warning(
            "calibration.run",
            f"nobody labelled what run {run!r} answered to these questions: judges are tried on its exact "
            f"matches alone, which tell no specificity. Let people label some: {sample}",
        )
    elif min(right, others) < FEW_LABELLED:
        yield warning(
            "calibration.run",
            f"of what run {run!r} answered to these questions, abstentions aside, people called {right:,} "
            f"right and {others:,} wrong: so few tell little of a judge. Let them label more: {sample}",
        )


def check_replication(protocol: Protocol) -> Iterator[Finding]:
    """Two judges that are one in what they share."""
    if protocol.judges_share_code:
        yield note(
            "second_judge",
            "both judges are rules that share code, so their agreement replicates nothing; name a model for "
            "one of them.",
        )


def check_endpoints(protocol: Protocol, settings: Settings) -> Iterator[Finding]:
    """Models that can't be asked from this machine as it is set."""
    wanted: list[tuple[str, Role, str]] = [
        (place, "judge", judge.name)
        for place, judge in (("judge", protocol.judge), ("second_judge", protocol.second_judge))
        if judge.kind == "model"
    ]
    if protocol.generator.kind == "model":
        wanted.append(("generator", "answer", protocol.generator.name))
    for place, role, model in wanted:
        named = settings.model_copy(update={f"hopgrade_{role}_model": model})
        try:
            role_endpoint(role, named)
        except SettingsError as error:
            yield warning(place, f"on this machine it can't be asked: {error.message}")


def check_evidence(questions: Iterable[Question]) -> Iterator[Finding]:
    """Questions that measures of evidence can say nothing of."""
    without = sum(not one.gold for one in questions)
    if without:
        have = "question has" if without == 1 else "questions have"
        yield note("dataset", f"{without:,} {have} no gold evidence; measures of it leave out what has none.")


def check_draws(protocol: Protocol) -> Iterator[Finding]:
    """Where so few sign flips are drawn that no p-value can reach the level of a look."""
    inference, number = protocol.inference, len(protocol.hypotheses)
    share = inference.alpha / number if inference.correction == "holm" else inference.alpha
    for look in range(1, len(inference.looks) + 1):
        level = level_at(inference.looks, look, share, inference.spending, two_sided=False)
        if level < 1 / (inference.draws + 1):
            yield warning(
                "inference.draws",
                f"at look {look} p must reach {level:.2g}, and {inference.draws:,} draws of more than "
                f"{EXACT_UP_TO} clusters show none below {1 / (inference.draws + 1):.2g}: draw more, or look "
                "later.",
            )


def check_power(planned: Iterable[PlannedPower]) -> Iterator[Finding]:
    """Hypotheses that will hardly be decided; those with the same smallest difference are told of at once."""
    few: list[PlannedPower] = []
    unseen: dict[tuple[float, bool], list[PlannedPower]] = {}
    for one in planned:
        if one.chance is None:
            yield breach(_place([one]), "fewer than two clusters of questions can decide nothing.")
            continue
        if one.clusters < FEW_CLUSTERS:
            few.append(one)
        if not one.seen:
            unseen.setdefault((one.smallest, one.detectable is None), []).append(one)
    if few:
        stands = "it stands" if len(few) == 1 else "they stand"
        clusters = _range([one.clusters for one in few], "d")
        yield warning(_place(few), f"{stands} on {clusters} clusters; fewer than {FEW_CLUSTERS} say little.")
    for (smallest, equal), several in unseen.items():
        chances = _range([one.chance for one in several if one.chance is not None], ".2f")
        least = _range([one.detectable for one in several if one.detectable is not None], ".3f")
        seen = f"a difference of {smallest:g} would be seen with chance {chances}"
        seen += f", one of {least} with chance .8."
        shown = f"systems that are equal would be shown to be within {smallest:g} with chance {chances}."
        yield warning(_place(several), shown if equal else seen)


def _place(planned: Sequence[PlannedPower]) -> str:
    """The places of hypotheses: "hypotheses.H1", or "hypotheses.H1, H2, H3"."""
    return f"hypotheses.{', '.join(one.hypothesis for one in planned)}"


def _range(values: Sequence[float], form: str) -> str:
    """Numbers as one, or as the least and the most of them; empty where there are none."""
    if not values:
        return ""
    least, most = format(min(values), form), format(max(values), form)
    return least if least == most else f"{least} to {most}"


def _ours(protocol: Protocol, system: SystemUnderTest, place: str) -> Iterator[Finding]:
    yield from _unless(place, partial(check_system, system))
    yield from _unless(place, partial(check_answering, protocol.generator, system.system))
    if system.selector == protocol.pool.retriever:
        yield warning(
            place, f"the pools are ranked by {protocol.pool.retriever} too: it is top-k by another name."
        )


def _own_run(graph: Graph, protocol: Protocol, place: str, run: str, locked: bool) -> Iterator[Finding]:
    made = bool(read_properties(graph, run_id(protocol.dataset.corpus, run)))
    if made and not locked:
        yield warning(place, f"run {run!r} is there already; one that was begun before the lock is refused.")
    elif locked and not made:
        yield warning(place, f"run {run!r} is not there; the protocol is locked, so it can be made now.")
    elif not made:
        yield note(place, f"run {run!r} is to be made after the lock.")


def _unless(place: str, check: Callable[[], None]) -> Iterator[Finding]:
    """What a check has against a place of the protocol."""
    try:
        check()
    except SettingsError as error:
        yield breach(place, f"{error}")


@dataclass(frozen=True, slots=True)
class Checked:
    """A protocol as it was found; `lock` is None before it is locked, `recall` without readable pools."""

    protocol: Protocol
    hash: str
    lock: Lock | None
    questions: int
    clusters: int
    recall: PoolRecall | None
    findings: tuple[Finding, ...]
    power: tuple[PlannedPower, ...]
    calls: PlannedCalls

    @property
    def breaches(self) -> tuple[Finding, ...]:
        """What a run would be refused for."""
        return tuple(one for one in self.findings if one.kind == "breach")


def check_standard(graph: Graph, protocol: Protocol, folder: Path, settings: Settings) -> Checked:
    """Hold a protocol against everything that is known before its run; nothing is asked or written.

    Raises:
        CorpusError: there is no such corpus.
    """
    require_corpus(graph, protocol.dataset.corpus)
    pools, findings = frozen_pools(folder, protocol)
    drawn, undrawn = _sampled_questions(graph, protocol)
    findings += _dataset(graph, protocol, pools, drawn, undrawn)
    locked, changed = _lock(graph, protocol, folder)
    findings += changed
    findings += check_systems(graph, protocol, locked is not None)
    findings += check_judges(protocol)
    findings += check_calibration(protocol)
    findings += check_endpoints(protocol, settings)
    questions = collect_questions(graph, protocol, sorted(pools or drawn))
    power = tuple(planned_powers(protocol, questions))
    findings += check_known(graph, protocol, questions)
    findings += _looks(protocol, questions)
    findings += check_evidence(questions)
    findings += check_replication(protocol)
    findings += check_power(power)
    findings += check_draws(protocol)
    return Checked(
        protocol=protocol,
        hash=protocol_hash(protocol),
        lock=None if locked is None else locked.lock,
        questions=len(questions),
        clusters=len({one.cluster for one in questions}),
        recall=pool_recall(questions, pools) if pools else None,
        findings=tuple(findings),
        power=power,
        calls=planned_calls(protocol, len(questions)),
    )


def _dataset(
    graph: Graph,
    protocol: Protocol,
    pools: Mapping[str, Candidates],
    drawn: Sequence[str],
    undrawn: list[Finding],
) -> Iterator[Finding]:
    """Whether the questions are those of the protocol, and the pools of these questions and this corpus."""
    dataset = protocol.dataset
    missing = missing_chunks(graph, dataset.corpus, sorted(chunks_of(pools)))
    if missing:
        text = f"{len(missing):,} chunks of the pools are in the corpus no more, such as {missing[0]}."
        yield breach("pool", text)
    version = dataset_version(graph, dataset.corpus)
    if version != dataset.version:
        yield breach(
            "dataset.version",
            f"the questions of corpus {dataset.corpus!r} are version {version} now, not {dataset.version}, "
            "for they changed since the protocol was written: begin a comparison anew: "
            f"{command('standard init')}",
        )
        return
    if undrawn:
        yield from undrawn
    elif pools and pools.keys() != set(drawn):
        same = len(pools.keys() & set(drawn))
        yield breach(
            "dataset.questions",
            f"the protocol draws {len(drawn):,} questions, and the pools are of {len(pools):,}, "
            f"{same:,} of them the same: number and seed must be those of the pools.",
        )


def _sampled_questions(graph: Graph, protocol: Protocol) -> tuple[tuple[str, ...], list[Finding]]:
    """The questions that the protocol draws, none with the reason where the corpus has not as many."""
    try:
        return protocol_questions(graph, protocol), []
    except (SettingsError, NothingToDoError) as error:
        return (), [breach("dataset.questions", f"{error}")]


def _looks(protocol: Protocol, questions: Sequence[Question]) -> Iterator[Finding]:
    """Looks that come after no more questions than the one before, clusters being looked at whole."""
    looks = range(1, len(protocol.inference.looks) + 1)
    held = [len(questions_at(protocol, questions, look)) for look in looks]
    for look, (early, late) in enumerate(pairwise(held), start=1):
        if questions and early == late:
            yield breach(
                "inference.looks",
                f"looks {look} and {look + 1} hold equally many questions ({early:,}): "
                "set them further apart, or leave one out.",
            )


def _lock(graph: Graph, protocol: Protocol, folder: Path) -> tuple[Locked | None, list[Finding]]:
    """The lock in the graph or else in the folder, and what changed since, by either."""
    try:
        kept = read_lock(folder)
    except InputError as error:
        return None, [breach("lock", f"{error}")]
    known = read_locked(graph, protocol.dataset.corpus, protocol.name)
    changes = {
        change: locked.lock.locked_at
        for locked in (kept, known)
        if locked is not None
        for change in changes_since(protocol, locked)
    }
    return known or kept, [
        breach(change.path, f"it was locked at {at} otherwise: {change.summary}.")
        for change, at in changes.items()
    ]
