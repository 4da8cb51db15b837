"""The stage that composes questions: what it depends on, what it leaves in the graph and in the ledger.

It stands beside the other stages and runs only where somebody asks for it. It goes when questions are made
anew, as those go, and then runs again. The other questions of the corpus and their runs stay as they are.

What composes questions by language models: one writes them, one answers them, one judges them.

What the text of a composed question shows by itself: answers given away, and parts merely put together.

AgenticRAGTracer, section 3.3, "structural integrity filtering". Questions by rules have filters that know
their facts; these are for questions whose words are a model's.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from kg.corpus import remember
from kg.embed.choose import Embedder
from kg.errors import NothingToDoError, command
from kg.ledger import Counts, Outcome, read_stage, record_stage, run_stage, stage_key
from kg.llm.budget import Budget
from kg.llm.prompts import load_prompt
from kg.llm.protocol import Model, Role
from kg.llm.roles import open_model, role_endpoint
from kg.progress import Progress
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.settings import Settings
from kg.store.graph import Graph
from services.questions.choice import Rounds, Watched, WorkerOption
from services.questions.composed.atoms_by_rules import NAME, FactShelf
from services.questions.composed.drafts import AtomsThrough, ComposedThrough, composed_draft
from services.questions.composed.model_atoms import ModelAtomMaker
from services.questions.composed.model_joiner import (
    ModelAudit,
    ModelJoiner,
    ModelRefiner,
)
from services.questions.composed.pipeline import ComposeSize, Composing, Place, compose
from services.questions.composed.protocol import (
    AtomFilter,
    Composed,
    ComposedFilter,
    Parts,
    paid_for,
)
from services.questions.composed.rule_parts import ClearNames, NoBareNumber, rule_parts
from services.questions.composed.selection import FELL, NOT_MADE, REASONS, STAGE, UNCHECKED
from services.questions.composed.store import ComposedWriter
from services.questions.dataset import renew_version
from services.questions.draft import Check
from services.questions.filters.form import NOT_CONCATENATED
from services.questions.filters.model_checks import (
    ClosedBookFails,
    ModelSolver,
    ModelVerdict,
    alone_requests,
)
from services.questions.filters.name_use import first_named
from services.questions.filters.need import EveryHopNeeded, Solvable
from services.questions.review import take_up_reviews
from services.questions.spans.question_spans import write_spans


@dataclass(frozen=True, slots=True)
class NothingGivenAway:
    """The answer of none of its atomic questions stands in the question.

    What a comparison chooses from may: that is the answer of no atomic question.
    """

    name: str = "answer hidden"

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        return [self._verdict(one) for one in questions]

    def _verdict(self, question: Composed) -> Check:
        text = question.last.question
        given = next(filter(None, (first_named(text, names) for names in _to_find(question))), None)
        return Check(
            self.name, given is None, f'"{given}" stands in it, which is to be found' if given else ""
        )


def _to_find(question: Composed) -> Iterator[tuple[str, ...]]:
    """The forms of every answer that the question must not name."""
    for hop in question.hops:
        yield hop.atom.accepted or (hop.atom.answer,)


@dataclass(frozen=True, slots=True)
class NotPutTogether:
    """It holds none of its atomic questions word for word, is longer than each, and asks once."""

    name: str = "not concatenated"

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order."""
        return [self._verdict(one) for one in questions]

    def _verdict(self, question: Composed) -> Check:
        reason = _held_whole(question) or NOT_CONCATENATED.rule(composed_draft(question)).reason
        return Check(self.name, not reason, reason)


def _held_whole(question: Composed) -> str:
    form = f" {normal_form(question.last.question)} "
    for hop in question.hops:
        if f" {normal_form(hop.atom.question)} " in form:
            return f"the question of hop {hop.number} stands in it as it is"
    if question.last.topology == "inference":
        shorter = max((len(hop.question.split()) for hop in question.hops[:-1]), default=0)
        if len(question.last.question.split()) <= shorter:
            return "it is no longer than the question that it goes on from"
    return ""


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
    solver, shelf = ModelSolver(graph, answer), FactShelf(graph)
    return Parts(
        atom_maker=ModelAtomMaker(graph, corpus, generate),
        atom_filters=(
            *atom_rules,
            AtomsThrough(ModelVerdict(STANDS_ALONE, judge, alone_requests, "clear")),
            AtomsThrough(ClosedBookFails(solver, NECESSARY)),
            AtomsThrough(Solvable(solver, SOLVABLE)),
        ),
        joiner=ModelJoiner(shelf, generate),
        filters=(
            *rules,
            ModelAudit(graph, judge),
            ComposedThrough(ClosedBookFails(solver, NECESSARY), shelf),
            ComposedThrough(Solvable(solver, SOLVABLE), shelf),
            ComposedThrough(EveryHopNeeded(solver, EVERY_HOP_NEEDED), shelf),
        ),
        refiner=ModelRefiner(graph, corpus, generate),
    )


COMPOSED = "composed-4"
"""The version of what this stage does; a change makes it run again."""
ROLES: tuple[Role, ...] = ("generate", "answer", "judge")
"""Who writes, who tries to answer, and who judges, where models do the work."""
PROMPTS = (
    "write-atomic-questions", "join-sequential", "join-parallel", "check-sequential", "check-parallel",
    "check-question-alone", "answer-closed-book", "compare-from-memory", "answer-from-evidence",
    "compare-answers", "mend-question", "shorten-answer", "list-answer-forms",
)  # fmt: skip
"""All that models are asked; a changed prompt composes anew."""
REASONS_KEPT = 12


@dataclass(frozen=True, slots=True)
class ComposeJob:
    """For which corpus questions are composed, how many, and by whom; models spend from one `budget`."""

    graph: Graph
    corpus: str
    size: ComposeSize
    generator: WorkerOption
    settings: Settings
    embedder: Embedder
    progress: Progress
    budget: Budget | None = None


def compose_stage(job: ComposeJob, again: bool = False) -> Outcome:
    """Compose the questions of a corpus unless they are there with this choice; `again` does it anyway.

    Raises:
        NothingToDoError: the corpus has no graph of entities yet, or no question passed the filters.
        SettingsError: a model is to work and none is set for its role.
        ModelError: a model can't go on; what it answered comes from its cache the next time.
    """
    graph, corpus = job.graph, job.corpus
    key = compose_key(job)
    if read_stage(graph, corpus, STAGE) is not None and (again or _are_gone(job)):
        record_stage(graph, corpus, STAGE, "", {})
    outcome = run_stage(
        graph, corpus, STAGE, key, lambda: _compose(job), lambda: forget_composed(graph, corpus), job.progress
    )
    if outcome.ran and outcome.counts[UNCHECKED]:
        # Under a key of no choice the next start goes on; what models answered comes from their cache.
        record_stage(graph, corpus, STAGE, f"{key} open", outcome.counts)
    if not outcome.counts["kept"]:
        raise NothingToDoError(
            f"no composed question of corpus {corpus!r} passed the filters.",
            f"See where they fell: {command('questions funnel --corpus', corpus)}. More articles help most.",
        )
    return outcome


def _are_gone(job: ComposeJob) -> bool:
    """Whether there is no composed question, as after other questions were made anew."""
    return not job.graph.rows(query("questions/count_domains"), corpus=job.corpus)


def forget_composed(graph: Graph, corpus: str) -> None:
    """Delete the composed questions of a corpus with all that belongs to them and was answered to them."""
    graph.rows(query("questions/delete_composed"), corpus=corpus)


def compose_key(job: ComposeJob) -> str:
    """What the stage hangs on.

    Raises:
        NothingToDoError: the corpus has no graph of entities yet.
        SettingsError: a model is to work and none is set for its role.
    """
    resolved = read_stage(job.graph, job.corpus, "resolution")
    if resolved is None or resolved["state"] != "done":
        raise NothingToDoError(
            f"the graph of corpus {job.corpus!r} is not built yet, or not to the end.",
            f"Build it: {command('corpus build --corpus', job.corpus)}",
        )
    workers = [NAME]
    if job.generator == "model":
        workers = [role_endpoint(role, job.settings).model for role in ROLES]
        workers += [load_prompt(name).id for name in PROMPTS]
    bound = [] if job.size.most_chunks is None else [job.size.most_chunks]
    return stage_key(resolved["key"], COMPOSED, job.size, job.generator, workers, *bound)


def _compose(job: ComposeJob) -> Counts:
    graph, corpus = job.graph, job.corpus
    forget_composed(graph, corpus)
    rounds = Rounds(job.progress)
    with ExitStack() as stack:
        made = compose(Place(graph, corpus), _parts(stack, job, rounds), job.size, rounds)
    writer = ComposedWriter(graph, corpus, job.embedder)
    for number, depth in made.depths.items():
        job.progress.step(f"writing questions of {number} hops")
        if number in made.selected:
            selected = made.selected[number]
            writer.write([*selected.kept, *selected.left_out])
        writer.write(depth.rejected)
    remember(graph, corpus, _reasons(made))
    write_spans(graph, corpus)
    renew_version(graph, corpus)
    take_up_reviews(graph, corpus, job.embedder.embed_queries)
    return _counts(made)


def _parts(stack: ExitStack, job: ComposeJob, rounds: Rounds) -> Parts:
    graph, corpus = job.graph, job.corpus
    if job.generator == "rules":
        return rule_parts(graph, corpus, job.size.seed)
    generate, answer, judge = (
        Watched(stack.enter_context(open_model(role, job.settings, job.budget)), rounds) for role in ROLES
    )
    rules = (NothingGivenAway(), NotPutTogether(), ClearNames(FactShelf(graph), corpus))
    parts = model_parts(
        graph, corpus, generate, answer, judge, atom_rules=(NoBareNumber(units=True),), rules=rules
    )
    return paid_for(parts, job.size.per_hops)


def _counts(made: Composing) -> Counts:
    stock = made.stock
    counts: Counts = {
        "chunks": stock.chunks,
        "atoms": stock.made,
        "atoms_kept": stock.kept,
        "kept": sum(len(one.kept) for one in made.selected.values()),
    }
    for number, one in made.selected.items():
        counts[f"kept_{number}_hops"] = len(one.kept)
    for number, depth in made.depths.items():
        counts[f"tried_{number}_hops"] = depth.tried.total()
    for number, depth in made.depths.items():
        counts[f"not_joined_{number}_hops"] = depth.refused.total()
    for number, one in made.selected.items():
        counts[f"over_{number}_hops"] = one.surplus
    counts["mended"] = sum(depth.mended for depth in made.depths.values())
    counts[UNCHECKED] = made.not_checked
    return counts


def _reasons(made: Composing) -> dict[str, list[str]]:
    """Where atomic questions fell, and why most pairs were not joined; too long for the ledger's line."""
    refused: Counter[str] = Counter()
    for depth in made.depths.values():
        refused.update(depth.refused)
    return {
        FELL: _listed(made.stock.fell),
        NOT_MADE: _listed(made.stock.refused),
        REASONS: _listed(refused),
    }


def _listed(numbers: Counter[str]) -> list[str]:
    """The most frequent ones: "only answer 74", "well formed 60"."""
    most = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:REASONS_KEPT]
    return [f"{name} {number}" for name, number in most]
