"""The stage that composes questions: what it depends on, what it leaves in the graph and in the ledger.

It stands beside the other stages and runs only where somebody asks for it. It goes when questions are made
anew, as those go, and then runs again. The other questions of the corpus and their runs stay as they are.

What composes questions by language models: one writes them, one answers them, one judges them.

What the text of a composed question shows by itself: answers given away, and parts merely put together.

AgenticRAGTracer, section 3.3, "structural integrity filtering". Questions by rules have filters that know
their facts; these are for questions whose words are a model's.

What composing by models would take, by role: nothing is sent.

How many questions models make can't be known before; the rules compose as a stand-in, and what would be asked
about the atomic and the composed questions that they try is counted. What is mended, shortened and compared
is a share of these, as recorded jobs had it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from kg.corpus import corpus_id
from kg.embed.choose import Embedder
from kg.errors import NothingToDoError, command
from kg.ledger import Counts, Outcome, read_stage, record_stage, run_stage, stage_key
from kg.llm.budget import Budget
from kg.llm.prompts import load_prompt
from kg.llm.protocol import Estimate, Model, ModelRequest, Role
from kg.llm.roles import open_model, role_endpoint
from kg.progress import Progress
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.settings import Settings
from kg.store.graph import Graph, batches
from services.questions.chains import with_all_evidence
from services.questions.choice import Rounds, Watched, WorkerOption
from services.questions.composed.atoms_by_rules import NAME, FactShelf
from services.questions.composed.drafts import AtomsThrough, ComposedThrough, atom_draft, composed_draft
from services.questions.composed.model_atoms import ModelAtomMaker, as_many_as_asked_for, atoms_request
from services.questions.composed.model_joiner import (
    ModelAudit,
    ModelJoiner,
    ModelRefiner,
    audit_request,
    forms_request,
    join_request,
    mend_request,
)
from services.questions.composed.passages import read_passages
from services.questions.composed.pipeline import ComposeSize, Composing, Place, compose
from services.questions.composed.protocol import (
    Atom,
    AtomFilter,
    Candidate,
    Composed,
    ComposedFilter,
    Parts,
    paid_for,
)
from services.questions.composed.rule_parts import ClearNames, NoBareNumber, rule_parts
from services.questions.composed.selection import FELL, NOT_MADE, REASONS, STAGE, UNCHECKED
from services.questions.composed.store import ComposedWriter
from services.questions.dataset import renew_version
from services.questions.draft import Check, Draft
from services.questions.filters.form import NOT_CONCATENATED
from services.questions.filters.model_checks import (
    ClosedBookFails,
    ModelSolver,
    ModelVerdict,
    alone_requests,
    same_answer_request,
    solve_requests,
)
from services.questions.filters.name_use import first_named
from services.questions.filters.need import EveryHopNeeded, Solvable, without_one_hop
from services.questions.filters.solver import SolveTask
from services.questions.review import take_up_reviews
from services.questions.spans.question_spans import write_spans

READ_AT_ONCE = 200
MENDED, SHORTENED, COMPARED = 11 / 469, 2 / 386, 23 / 1_376
"""Shares of questions whose words, or whose answer, another try may mend, and of answers that are compared.

Their source are the recorded jobs of docs/evaluation/model (results.json of each), which made chains: of 469
questions that a model wrote 11 gave something away or leant on an article, of 386 that were asked from all
their evidence 2 had another answer, and 23 of 1,376 answers were compared with the right one.
"""


@dataclass(frozen=True, slots=True)
class RoleModels:
    """The models of the three roles."""

    generate: Model
    answer: Model
    judge: Model


def estimate_composing(
    place: Place, wanted: ComposeSize, models: RoleModels, progress: Progress
) -> Mapping[str, Estimate]:
    """Calls and tokens by what is done; of as many questions as the rules find, in the models' steps."""
    parts = rule_parts(place.graph, place.corpus, wanted.seed)
    parts = paid_for(replace(parts, atoms_behind_comparison=parts.atoms_a_question), wanted.per_hops)
    made = compose(place, parts, wanted, progress)
    atoms = as_many_as_asked_for(made.stock.checked)
    questions = list(_tried(made))
    drafts = [atom_draft(atom) for atom in atoms]
    whole = with_all_evidence(place.graph, [composed_draft(one) for one in questions])
    of_atoms, of_whole = _tasks(drafts, parts=False), _tasks(whole, parts=True)
    compared = [same_answer_request(draft, draft.answer) for draft in (*drafts, *whole)]
    answers = len(of_atoms) + len(of_whole)
    tries = 1 + MENDED + SHORTENED
    worded = Check("answer hidden", passed=False, reason="it stands in it, which is to be found")
    longer = Check(SOLVABLE, passed=False, reason="its evidence leads elsewhere")
    return {
        "atomic questions": models.generate.estimate(_of_chunks(place.graph, list(made.stock.by_chunk))),
        "atomic questions judged": models.judge.estimate(alone_requests(drafts)),
        "atomic questions answered": models.answer.estimate(solve_requests(place.graph, of_atoms)),
        "joins": models.generate.estimate(_of_joins(place.graph, questions)),
        "joins judged": models.judge.estimate(_of_audits(place.graph, questions)).scaled(tries),
        "questions answered": models.answer.estimate(solve_requests(place.graph, of_whole)).scaled(tries),
        "answers compared": models.answer.estimate(compared).scaled(
            COMPARED * answers / max(1, len(compared))
        ),
        "questions mended": models.generate.estimate(_mending(questions, worded)).scaled(MENDED)
        + models.generate.estimate(_mending(questions, longer)).scaled(SHORTENED),
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


def _mending(questions: Sequence[Composed], failed: Check) -> Iterator[ModelRequest]:
    """What would be asked about those that can be mended, if all fell there."""
    requests = (mend_request(replace(one, checks=(failed,))) for one in questions)
    return (request for request in requests if request is not None)


def _atoms(question: Composed) -> Iterator[Atom]:
    return (hop.atom for hop in question.hops)


def _tasks(drafts: Sequence[Draft], *, parts: bool) -> list[SolveTask]:
    """From memory, from all chunks, and where `parts` are wanted without those of each hop."""
    tasks = [SolveTask(draft, chunks) for draft in drafts for chunks in ((), draft.chunks)]
    if parts:
        tasks += [SolveTask(draft, chunks) for draft in drafts for _, chunks in without_one_hop(draft)]
    return tasks


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
    key = _key(job)
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


def estimate_stage(job: ComposeJob) -> Mapping[str, Estimate]:
    """What composing would take of models, by what is done; nothing where the rules do it. Nothing is sent.

    Raises:
        NothingToDoError: the corpus has no graph of entities yet.
        SettingsError: no model is set for a role.
    """
    _key(job)
    if job.generator == "rules":
        return {}
    with ExitStack() as stack:
        models = RoleModels(*(stack.enter_context(open_model(role, job.settings)) for role in ROLES))
        return estimate_composing(Place(job.graph, job.corpus), job.size, models, job.progress)


def _are_gone(job: ComposeJob) -> bool:
    """Whether there is no composed question, as after other questions were made anew."""
    return not job.graph.rows(query("questions/count_domains"), corpus=job.corpus)


def forget_composed(graph: Graph, corpus: str) -> None:
    """Delete the composed questions of a corpus with all that belongs to them and was answered to them."""
    graph.rows(query("questions/delete_composed"), corpus=corpus)


def _key(job: ComposeJob) -> str:
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
    graph.rows(query("corpus/write_settings"), id=corpus_id(corpus), settings=_reasons(made))
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
