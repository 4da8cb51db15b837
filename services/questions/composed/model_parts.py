"""What composes questions by language models: one writes them, one answers them, one judges them."""

from collections.abc import Sequence

from kg.llm.protocol import Model
from kg.store.graph import Graph
from services.questions.composed.model_atoms import ModelAtomMaker
from services.questions.composed.model_audit import ModelAudit
from services.questions.composed.model_joiner import ModelJoiner
from services.questions.composed.model_refiner import ModelRefiner
from services.questions.composed.parts import Parts
from services.questions.composed.protocol import AtomFilter, ComposedFilter
from services.questions.composed.solved_drafts import AtomsThrough, ComposedThrough
from services.questions.filters.model_solver import ModelSolver
from services.questions.filters.model_verdicts import ClosedBookFails, ModelVerdict, alone_requests
from services.questions.filters.need import EveryHopNeeded, Solvable

STANDS_ALONE = "model: stands alone"
NECESSARY = "model: retrieval necessary"
SOLVABLE = "model: solvable"
EVERY_HOP_NEEDED = "model: every hop needed"


def model_parts(
    graph: Graph,
    corpus: str,
    generate: Model,
    answer: Model,
    judge: Model,
    atom_rules: Sequence[AtomFilter] = (),
    rules: Sequence[ComposedFilter] = (),
) -> Parts:
    """The parts by models; `atom_rules` and `rules` come first, so that nothing is paid for what they reject.

    Atoms must stand alone, must not be answered from memory, and must be answered from their own chunk
    (AgenticRAGTracer, section 3.2). Composed questions must have a sound last join, must not be answered from
    memory, must be answered from all their chunks, and from no fewer (section 3.3). Filters and refiner raise
    what `kg.llm.protocol.Model.ask` raises.
    """
    solver = ModelSolver(graph, answer)
    return Parts(
        atom_maker=ModelAtomMaker(graph, corpus, generate),
        atom_filters=(
            *atom_rules,
            AtomsThrough(ModelVerdict(STANDS_ALONE, judge, alone_requests, "clear")),
            AtomsThrough(ClosedBookFails(solver, NECESSARY)),
            AtomsThrough(Solvable(solver, SOLVABLE)),
        ),
        joiner=ModelJoiner(graph, generate),
        filters=(
            *rules,
            ModelAudit(graph, judge),
            ComposedThrough(ClosedBookFails(solver, NECESSARY)),
            ComposedThrough(Solvable(solver, SOLVABLE)),
            ComposedThrough(EveryHopNeeded(solver, EVERY_HOP_NEEDED)),
        ),
        refiner=ModelRefiner(graph, corpus, generate),
    )
