"""What composing by models would take, by what is done: nothing is sent.

How many questions models make can't be known before. The rules compose in their place, of as many atomic
questions of a chunk as a model is asked for, and what would be asked on the way is noted. In place of each
check of a model stands a draw by chance that passes the share which passed it in recorded jobs, so that what
falls at one check comes to no later one and is joined to nothing, as in the job itself. With few chunks much
hangs on the draw, so the mean of several is told. What is mended, shortened and compared is a share, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from kg.llm.protocol import Estimate, Model, ModelRequest
from kg.llm.roles import open_model
from kg.progress import Progress
from kg.store.graph import Graph, batches
from services.questions.chains import with_all_evidence
from services.questions.composed.atoms_by_rules import FactShelf
from services.questions.composed.drafts import atom_draft, composed_draft
from services.questions.composed.model_atoms import MOST_QUESTIONS, atoms_request
from services.questions.composed.model_joiner import (
    MAKES_SENSE,
    YES_OR_NO,
    audit_request,
    forms_request,
    join_request,
    mend_request,
    why_hopeless,
)
from services.questions.composed.passages import read_passages
from services.questions.composed.pipeline import ComposeSize, Place, compose
from services.questions.composed.protocol import (
    Atom,
    AtomFilter,
    AtomMaker,
    Candidate,
    Composed,
    Joiner,
    Parts,
    Refused,
    paid_for,
)
from services.questions.composed.rule_parts import ClearNames, NoBareNumber, rule_parts
from services.questions.composed.stage import (
    EVERY_HOP_NEEDED,
    NECESSARY,
    ROLES,
    SOLVABLE,
    STANDS_ALONE,
    ComposeJob,
    compose_key,
)
from services.questions.draft import Check, Draft
from services.questions.estimate import SHARES, TRIED_OF_FALLEN
from services.questions.filters.form import WELL_FORMED
from services.questions.filters.model_checks import alone_requests, same_answer_request, solve_requests
from services.questions.filters.need import without_one_hop
from services.questions.filters.solver import SolveTask
from services.questions.kinds.spread import chance

READ_AT_ONCE = 200
MENDED, SHORTENED, COMPARED = 11 / 469, 2 / 386, 23 / 1_376
"""Shares of questions whose words, or whose answer, another try may mend, and of answers that are compared.

Their source are the recorded jobs of docs/evaluation/model (results.json of each), which made chains: of 469
questions that a model wrote 11 gave something away or leant on an article, of 386 that were asked from all
their evidence 2 had another answer, and 23 of 1,376 answers were compared with the right one.
"""
MOST_DRAWS, ENOUGH_ATOMS = 5, 1_000
"""How often chance is let decide at most, and with how many atomic questions together it is enough."""

ASSUMPTION = (
    "Counted for the questions that the rules find, where of atomic and composed questions that come to a "
    "check so many pass: "
    + ", ".join(
        f"{SHARES[name]:.0%} {name.removeprefix('model: ')!r}"
        for name in (STANDS_ALONE, NECESSARY, SOLVABLE, MAKES_SENSE, EVERY_HOP_NEEDED)
    )
    + ". Of what a model has never read more passes and is joined: up to twice as much."
)
"""What the numbers rest on."""

T = TypeVar("T", Atom, Composed)


@dataclass(frozen=True, slots=True)
class RoleModels:
    """The models of the three roles."""

    generate: Model
    answer: Model
    judge: Model


def estimate_stage(job: ComposeJob) -> Mapping[str, Estimate]:
    """What composing would take of models, by what is done; nothing where the rules do it. Nothing is sent.

    Raises:
        NothingToDoError: the corpus has no graph of entities yet.
        SettingsError: no model is set for a role.
    """
    compose_key(job)
    if job.generator == "rules":
        return {}
    with ExitStack() as stack:
        models = RoleModels(*(stack.enter_context(open_model(role, job.settings)) for role in ROLES))
        return estimate_composing(Place(job.graph, job.corpus), job.size, models, job.progress)


def estimate_composing(
    place: Place, wanted: ComposeSize, models: RoleModels, progress: Progress
) -> Mapping[str, Estimate]:
    """Calls and tokens by what is done, on the average of some draws."""
    total: dict[str, Estimate] = {}
    atoms = draws = 0
    while draws < MOST_DRAWS and atoms < ENOUGH_ATOMS:
        course = _course(place, wanted, draws, progress)
        for step, part in _of_course(place.graph, course, models).items():
            total[step] = total.get(step, Estimate()) + part
        draws += 1
        atoms += len(course.alone.came)
    return {step: part.scale(1 / draws) for step, part in total.items()}


@dataclass(slots=True)
class StandIn(Generic[T]):
    """Passes by chance the share that passed a check of a model, and notes what comes to it."""

    name: str
    draw: int
    came: list[T] = field(default_factory=list)

    def check(self, items: Sequence[T]) -> list[Check]:
        """One verdict an item, in order; the same in each of its places."""
        self.came += items
        return [Check(self.name, self._passes(one), "by chance") for one in items]

    def _passes(self, item: T) -> bool:
        drawn = chance(self.draw, self.name, *_content(item))
        return int(drawn[:8], 16) < SHARES[self.name] * 16**8


def _content(item: Atom | Composed) -> Iterator[str]:
    for atom in [item] if isinstance(item, Atom) else [hop.atom for hop in item.hops]:
        yield atom.id


@dataclass(frozen=True, slots=True)
class FewAtoms:
    """Of what the rules would ask of a chunk as many well-formed questions as a model is asked for."""

    every: AtomMaker
    well_formed: AtomFilter
    draw: int

    @property
    def name(self) -> str:
        """What would be recorded with a question."""
        return self.every.name

    def atoms(self, chunks: Sequence[str]) -> Iterator[Atom | Refused]:
        """Drawn by chance from all of a chunk, so that no sort of fact comes first."""
        found = [one for one in self.every.atoms(chunks) if isinstance(one, Atom)]
        formed = [
            one for one, check in zip(found, self.well_formed.check(found), strict=True) if check.passed
        ]
        of_chunk: dict[str, list[Atom]] = {}
        for atom in sorted(formed, key=lambda one: chance(self.draw, one.id)):
            of_chunk.setdefault(atom.chunk, []).append(atom)
        for chunk in chunks:
            yield from of_chunk.get(chunk, [])[:MOST_QUESTIONS]


@dataclass(slots=True)
class WatchedJoiner:
    """Joins as another does, and notes about which candidates a model would be asked."""

    joiner: Joiner
    shelf: FactShelf
    came: list[Candidate] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What would be recorded with a question."""
        return self.joiner.name

    def join(self, candidates: Sequence[Candidate]) -> list[Composed | Refused]:
        """One longer question a candidate, in order, or why there is none."""
        evidence = self.shelf.evidence([atom for one in candidates for atom in one.atoms])
        self.came += [one for one in candidates if not why_hopeless(one, evidence)]
        return self.joiner.join(candidates)


@dataclass(frozen=True, slots=True)
class _Course:
    """What came to each step of composing: chunks, atomic questions, candidates and questions."""

    chunks: Sequence[str]
    alone: StandIn[Atom]
    atoms_from_memory: StandIn[Atom]
    atoms_solved: StandIn[Atom]
    joiner: WatchedJoiner
    audited: StandIn[Composed]
    from_memory: StandIn[Composed]
    solved: StandIn[Composed]
    without_a_hop: StandIn[Composed]
    verified: Sequence[Composed]


def _course(place: Place, wanted: ComposeSize, draw: int, progress: Progress) -> _Course:
    """Compose by rules with what stands for a model's checks."""
    rules, shelf = rule_parts(place.graph, place.corpus, wanted.seed), FactShelf(place.graph)
    well_formed = next(one for one in rules.atom_filters if one.name == WELL_FORMED.name)
    alone, atoms_from_memory, atoms_solved = (
        StandIn[Atom](name, draw) for name in (STANDS_ALONE, NECESSARY, SOLVABLE)
    )
    audited, from_memory, solved, without_a_hop = (
        StandIn[Composed](name, draw) for name in (MAKES_SENSE, NECESSARY, SOLVABLE, EVERY_HOP_NEEDED)
    )
    joiner = WatchedJoiner(rules.joiner, shelf)
    parts = Parts(
        atom_maker=FewAtoms(rules.atom_maker, well_formed, draw),
        atom_filters=(NoBareNumber(units=True), alone, atoms_from_memory, atoms_solved),
        joiner=joiner,
        filters=(ClearNames(shelf, place.corpus), audited, from_memory, solved, without_a_hop),
        refiner=rules.refiner,
    )
    made = compose(place, paid_for(parts, wanted.per_hops), wanted, progress)
    verified = [one for depth in made.depths.values() for some in depth.verified.values() for one in some]
    return _Course(
        list(made.stock.by_chunk),
        alone,
        atoms_from_memory,
        atoms_solved,
        joiner,
        audited,
        from_memory,
        solved,
        without_a_hop,
        verified,
    )


def _of_course(graph: Graph, course: _Course, models: RoleModels) -> Mapping[str, Estimate]:
    """What would be asked about all that came to the steps of a course."""
    of_atoms = _tasks(map(atom_draft, course.atoms_from_memory.came), memory=True)
    of_atoms += _tasks(map(atom_draft, course.atoms_solved.came), memory=False)
    whole = _drafts(graph, course.solved.came)
    of_whole = _tasks(_drafts(graph, course.from_memory.came), memory=True) + _tasks(whole, memory=False)
    fewer = [
        SolveTask(draft, chunks)
        for draft in _drafts(graph, course.without_a_hop.came)
        for _, chunks in without_one_hop(draft)
    ]
    needed = SHARES[EVERY_HOP_NEEDED]
    tried = needed + TRIED_OF_FALLEN * (1 - needed)
    compared = [same_answer_request(one.draft, one.draft.answer) for one in (*of_atoms, *of_whole, *fewer)]
    again = 1 + MENDED + SHORTENED
    worded = Check("answer hidden", passed=False, reason="it stands in it, which is to be found")
    longer = Check(SOLVABLE, passed=False, reason="its evidence leads elsewhere")
    answer, generate, judge = models.answer, models.generate, models.judge
    return {
        "atomic questions": generate.estimate(_of_chunks(graph, course.chunks)),
        "atomic questions judged": judge.estimate(alone_requests(list(map(atom_draft, course.alone.came)))),
        "atomic questions answered": answer.estimate(solve_requests(graph, of_atoms)),
        "joins": generate.estimate(_of_joins(graph, course.joiner.came)),
        "joins judged": judge.estimate(_of_audits(graph, course.audited.came)).scale(again),
        "questions answered": (
            answer.estimate(solve_requests(graph, of_whole))
            + answer.estimate(solve_requests(graph, fewer)).scale(tried)
        ).scale(again),
        "answers compared": _each_alike(answer, compared).scale(COMPARED),
        "questions mended": generate.estimate(_mending(course.audited.came, worded)).scale(MENDED)
        + generate.estimate(_mending(course.solved.came, longer)).scale(SHORTENED),
        "forms of answers": generate.estimate(
            forms_request(one) for one in course.verified if one.last.answer.casefold() not in YES_OR_NO
        ),
    }


def _tasks(drafts: Iterator[Draft] | Sequence[Draft], *, memory: bool) -> list[SolveTask]:
    """From memory, or from all chunks."""
    return [SolveTask(draft, () if memory else draft.chunks) for draft in drafts]


def _drafts(graph: Graph, questions: Sequence[Composed]) -> list[Draft]:
    return with_all_evidence(graph, [composed_draft(one) for one in questions])


def _each_alike(model: Model, requests: Sequence[ModelRequest]) -> Estimate:
    """What requests take, equal ones as often as they come: another answer makes another one of each."""
    found = model.estimate(requests)
    new = found.calls - found.cached
    return replace(found, cached=0).scale(found.calls / new) if new else found


def _of_chunks(graph: Graph, chunks: Sequence[str]) -> Iterator[ModelRequest]:
    for some in batches(chunks, READ_AT_ONCE):
        yield from map(atoms_request, read_passages(graph, some).values())


def _of_joins(graph: Graph, candidates: Sequence[Candidate]) -> Iterator[ModelRequest]:
    for some in batches(candidates, READ_AT_ONCE):
        passages = read_passages(graph, (atom.chunk for one in some for atom in one.atoms))
        yield from (join_request(one, passages) for one in some)


def _of_audits(graph: Graph, questions: Sequence[Composed]) -> Iterator[ModelRequest]:
    for some in batches(questions, READ_AT_ONCE):
        passages = read_passages(graph, (hop.atom.chunk for one in some for hop in one.hops))
        yield from (audit_request(one, passages) for one in some)


def _mending(questions: Sequence[Composed], failed: Check) -> Iterator[ModelRequest]:
    """What would be asked about those that can be mended, if all fell there."""
    requests = (mend_request(replace(one, checks=(failed,))) for one in questions)
    return (request for request in requests if request is not None)
