"""What composing by models would take, by role: nothing is sent.

How many questions models make can't be known before; the rules compose as a stand-in, and what would be asked
about the atomic and the composed questions that they try is counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.llm.protocol import Estimate, Model, ModelRequest
from kg.progress import Progress
from kg.store.graph import Graph, batches
from services.questions.composed.model_atoms import atoms_request
from services.questions.composed.model_audit import audit_request
from services.questions.composed.model_joiner import join_request
from services.questions.composed.model_refiner import forms_request
from services.questions.composed.parts import paid_for
from services.questions.composed.passages import read_passages
from services.questions.composed.pipeline import Composing, Place, Wanted, compose
from services.questions.composed.protocol import Atom, Candidate, Composed
from services.questions.composed.rule_parts import rule_parts
from services.questions.composed.solved_drafts import atom_draft, composed_draft
from services.questions.draft import Draft
from services.questions.filters.model_solver import solve_requests
from services.questions.filters.model_verdicts import alone_requests
from services.questions.filters.need import without_one_hop
from services.questions.filters.solver import SolveTask

READ_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """The models of the three roles."""

    generate: Model
    answer: Model
    judge: Model


def estimate_composing(
    place: Place, wanted: Wanted, models: Asked, progress: Progress
) -> Mapping[str, Estimate]:
    """Calls and tokens by what is done; of as many questions as the rules find, in the models' steps."""
    parts = rule_parts(place.graph, place.corpus, wanted.seed)
    parts = paid_for(replace(parts, atoms_behind_comparison=parts.atoms_a_question), wanted.per_hops)
    made = compose(place, parts, wanted, progress)
    atoms = made.stock.checked
    questions = list(_tried(made))
    drafts = [atom_draft(atom) for atom in atoms]
    return {
        "atomic questions": models.generate.estimate(_of_chunks(place.graph, list(made.stock.asked))),
        "atomic questions judged": models.judge.estimate(alone_requests(drafts)),
        "atomic questions answered": models.answer.estimate(
            solve_requests(place.graph, _tasks(drafts, parts=False))
        ),
        "joins": models.generate.estimate(_of_joins(place.graph, questions)),
        "joins judged": models.judge.estimate(_of_audits(place.graph, questions)),
        "questions answered": models.answer.estimate(
            solve_requests(place.graph, _tasks([composed_draft(one) for one in questions], parts=True))
        ),
        "forms of answers": models.generate.estimate(forms_request(one) for one in questions if one.kept),
    }


def _tried(made: Composing) -> Iterator[Composed]:
    for depth in made.depths.values():
        for some in depth.verified.values():
            yield from some
        yield from depth.rejected


def _of_chunks(graph: Graph, chunks: Sequence[str]) -> Iterator[ModelRequest]:
    for some in batches(chunks, READ_AT_ONCE):
        yield from map(atoms_request, read_passages(graph, some).values())


def _of_joins(graph: Graph, questions: Sequence[Composed]) -> Iterator[ModelRequest]:
    for some in batches(questions, READ_AT_ONCE):
        passages = read_passages(graph, (atom.chunk for one in some for atom in _atoms(one)))
        for one in some:
            before = Composed(one.hops[:-1], one.generator)
            yield join_request(Candidate(before, one.last.atom, one.last.topology or "inference"), passages)


def _of_audits(graph: Graph, questions: Sequence[Composed]) -> Iterator[ModelRequest]:
    for some in batches(questions, READ_AT_ONCE):
        passages = read_passages(graph, (atom.chunk for one in some for atom in _atoms(one)))
        yield from (audit_request(one, passages) for one in some)


def _atoms(question: Composed) -> Iterator[Atom]:
    return (hop.atom for hop in question.hops)


def _tasks(drafts: Sequence[Draft], *, parts: bool) -> list[SolveTask]:
    """From memory, from all chunks, and where `parts` are wanted without those of each hop."""
    tasks = [SolveTask(draft, chunks) for draft in drafts for chunks in ((), draft.chunks)]
    if parts:
        tasks += [SolveTask(draft, chunks) for draft in drafts for _, chunks in without_one_hop(draft)]
    return tasks
