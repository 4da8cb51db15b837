"""The parts of a protocol before its run: systems, judges, endpoints, evidence, and what it can show."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import sqrt

from kg.errors import SettingsError
from kg.ids import run_id
from kg.llm.protocol import Role
from kg.llm.roles import role_endpoint
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.evaluate.statistics.few_clusters import FEW_CLUSTERS
from services.evaluate.statistics.sign_flip import EXACT_UP_TO
from services.evaluate.statistics.spending import level_at
from services.standard.answering import check_answering
from services.standard.collect import run_of
from services.standard.findings import Finding, breach, note, warning
from services.standard.judging.choose import check_judge
from services.standard.planned_power import PlannedPower
from services.standard.pool_systems import check_system
from services.standard.protocol import Protocol, SystemUnderTest
from services.standard.records import Question
from services.standard.refusals import judge_breaches

ENOUGH_TRIED = 20
"""On fewer questions a trial says little of a judge."""

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
    made = bool(graph.rows(query("runs/read_run"), id=run_id(protocol.dataset.corpus, run)))
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
