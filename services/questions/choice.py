"""What a corpus remembers of how its questions are made.

Who writes and who checks questions: rules, or language models that are opened when they are needed.

How far they are: a progress that moves with each request that a model answers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Literal, TypeVar, get_args

from kg.corpus import recall, remember
from kg.embed.choose import Embedder
from kg.engine.choose import Engine
from kg.engine.processes import LocalEngine
from kg.errors import SettingsError
from kg.llm.budget import Budget
from kg.llm.protocol import Estimate, Model, ModelOutcome, ModelRequest, Role
from kg.llm.roles import open_model, role_budget, role_endpoint
from kg.progress import Progress
from kg.settings import Settings
from kg.stages.path_finding import PathOptions
from kg.store.graph import Graph
from services.questions.checkable import LEAST_CONFIDENCE, CheckableFacts
from services.questions.draft import COMPOSED_KINDS, QuestionKind, Wording
from services.questions.filters.choose import model_filters, rule_filters
from services.questions.filters.need import spans_clusters
from services.questions.filters.protocol import Filter
from services.questions.generate import writer_name
from services.questions.spans.facets import ClusterFacet, parse_facet
from services.questions.wording.chain import GENERATOR

WorkerOption = Literal["rules", "model"]
"""`rules`: offline, without a key; `model`: a language model, of the role "generate" or "judge"."""
BinsOption = Literal["depth", "global"]
"""Whether quartiles of difficulty are cut within each depth, or once over all."""
KnownOption = Literal["reject", "keep"]
"""What becomes of questions whose answer the model that checks knows without the articles."""

KINDS: tuple[QuestionKind, ...] = tuple(kind for kind in get_args(QuestionKind) if kind not in COMPOSED_KINDS)
INFERENCE = "inference"
BRIDGES: tuple[QuestionKind, ...] = ("bridge entity", "bridge topic")
WORKERS: tuple[WorkerOption, ...] = get_args(WorkerOption)
BINS: tuple[BinsOption, ...] = get_args(BinsOption)
KNOWN: tuple[KnownOption, ...] = get_args(KnownOption)
WORDINGS: tuple[Wording, ...] = get_args(Wording)

Name = TypeVar("Name", bound=str)


@dataclass(frozen=True, slots=True)
class QuestionChoice:
    """How many questions of which kinds are wanted, who writes and who checks them, how bins are cut.

    `target` is how many kept chain questions a depth shall have at least, as far as its paths last;
    `per_kind` how many kept ones another kind has at most. The evidence of a kept one lies in at least
    `span_clusters` clusters of the facet `cluster_by`. Where `known` are kept, no model is asked whether it
    can answer from memory. Rules ask about facts of at least the confidence `least_confidence`
    (`services.questions.checkable`), in this `wording`. A model that checks questions checks those of their
    first hops too unless `prefix_checks` says rules.
    """

    target: int = 200
    kinds: tuple[QuestionKind, ...] = KINDS
    per_kind: int = 100
    generator: WorkerOption = "rules"
    checks: WorkerOption = "rules"
    bins: BinsOption = "depth"
    # Out of the repr that a stage's key is made of: without a wish, questions are what they always were.
    span_clusters: int = field(default=1, repr=False)
    cluster_by: ClusterFacet = field(default="claims", repr=False)
    known: KnownOption = field(default="reject", repr=False)
    wording: Wording = field(default="any", repr=False)
    least_confidence: float = field(default=LEAST_CONFIDENCE, repr=False)
    prefix_checks: WorkerOption = field(default="model", repr=False)

    @property
    def wishes(self) -> tuple[int | str, ...]:
        """What is asked beyond the usual: of evidence, what a model knows, wording, facts, and who checks."""
        spanning = (self.span_clusters, self.cluster_by) if self.span_clusters > 1 else ()
        known = ("known",) if self.known == "keep" else ()
        worded = (self.wording,) if self.wording != "any" else ()
        sure = (f"confidence {self.least_confidence}",) if self.least_confidence != LEAST_CONFIDENCE else ()
        prefixes = ("prefixes by rules",) if self.prefix_checks == "rules" else ()
        return (*spanning, *known, *worded, *sure, *prefixes)

    @property
    def other_kinds(self) -> tuple[QuestionKind, ...]:
        """The kinds that follow no path."""
        return tuple(kind for kind in self.kinds if kind != "chain")


def read_question_choice(graph: Graph, corpus: str) -> QuestionChoice:
    """What was chosen for a corpus last; the defaults where nothing was."""
    kept = recall(graph, corpus)
    usual = QuestionChoice()
    return QuestionChoice(
        target=int(kept.get("question_target") or usual.target),
        kinds=parse_kinds(",".join(kept.get("question_kinds") or usual.kinds)),
        per_kind=int(kept.get("questions_per_kind") or usual.per_kind),
        generator=parse_worker(kept.get("question_generator") or usual.generator),
        checks=parse_worker(kept.get("question_checks") or usual.checks),
        bins=parse_bins(kept.get("question_bins") or usual.bins),
        span_clusters=int(kept.get("question_span_clusters") or usual.span_clusters),
        cluster_by=parse_facet(kept.get("question_cluster_by") or usual.cluster_by),
        known=parse_known(kept.get("question_known") or usual.known),
        wording=parse_wording(kept.get("question_wording") or usual.wording),
        least_confidence=float(kept.get("question_least_confidence", usual.least_confidence)),
        prefix_checks=parse_worker(kept.get("question_prefix_checks") or usual.prefix_checks),
    )


def write_question_choice(graph: Graph, corpus: str, choice: QuestionChoice) -> None:
    """Remember the choice for later; what is chosen already is not written again."""
    if choice == read_question_choice(graph, corpus):
        return
    kept = {
        "question_target": choice.target,
        "question_kinds": list(choice.kinds),
        "questions_per_kind": choice.per_kind,
        "question_generator": choice.generator,
        "question_checks": choice.checks,
        "question_bins": choice.bins,
        "question_span_clusters": choice.span_clusters,
        "question_cluster_by": choice.cluster_by,
        "question_known": choice.known,
        "question_wording": choice.wording,
        "question_least_confidence": choice.least_confidence,
        "question_prefix_checks": choice.prefix_checks,
    }
    remember(graph, corpus, kept)


def parse_kinds(text: str) -> tuple[QuestionKind, ...]:
    """Kinds of questions with commas, or "all"; in their usual order, each once.

    MultiHop-RAG's "inference" stands for the two kinds of bridges.

    Raises:
        SettingsError: one of them is no kind, or there is none.
    """
    if text.strip() == "all":
        return KINDS
    parts = [part.strip() for part in text.split(",") if part.strip()]
    named = set(BRIDGES) if INFERENCE in parts else set[QuestionKind]()
    named |= {_one_of(part, KINDS, "a kind of question") for part in parts if part != INFERENCE}
    if not named:
        raise SettingsError("no kind of question is named.", f"Use some of: {', '.join(KINDS)}, or all.")
    return tuple(kind for kind in KINDS if kind in named)


def parse_worker(text: str) -> WorkerOption:
    """Who writes or checks questions.

    Raises:
        SettingsError: it names neither rules nor a model.
    """
    return _one_of(text, WORKERS, "a way to make or check questions")


def parse_known(text: str) -> KnownOption:
    """What becomes of questions that a model answers from memory.

    Raises:
        SettingsError: it names neither reject nor keep.
    """
    return _one_of(text, KNOWN, "what to do with questions that a model knows")


def parse_wording(text: str) -> Wording:
    """How rules word chains.

    Raises:
        SettingsError: there is no such form.
    """
    return _one_of(text, WORDINGS, "a form of wording")


def parse_bins(text: str) -> BinsOption:
    """How bins are cut.

    Raises:
        SettingsError: there is no such way.
    """
    return _one_of(text, BINS, "a way to cut bins")


def _one_of(text: str, names: tuple[Name, ...], what: str) -> Name:
    for name in names:
        if " ".join(text.replace("-", " ").split()) == name:
            return name
    raise SettingsError(f"{text.strip()!r} is not {what}.", f"Use one of: {', '.join(names)}.")


class Rounds:
    """A progress that models move: a round of requests is a step whose count is of those answered.

    It goes by the name of the step in which it is asked, whose own count ends there: what is told to advance
    it is left out until the next step.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._name = ""
        self._asking = False

    def begin(self, task: str, total: int | None = None) -> None:
        """A task starts."""
        self._name, self._asking = task, False
        self._progress.begin(task, total)

    def step(self, name: str, total: int | None = None) -> None:
        """A part of the task starts."""
        self._name, self._asking = name, False
        self._progress.step(name, total)

    def advance(self, steps: int = 1) -> None:
        """So many steps more are done, unless requests are counted."""
        if not self._asking:
            self._progress.advance(steps)

    def end(self, note: str = "") -> None:
        """The task is done."""
        self._progress.end(note)

    def ask(self, model: Model, requests: Iterable[ModelRequest]) -> Iterator[ModelOutcome]:
        """A round: what `kg.llm.protocol.Model.ask` gives and raises, told as it comes."""
        asked = list(requests)
        if asked:
            self._asking = True
            self._progress.step(self._name, len(asked))
        for outcome in model.ask(asked):
            self._progress.advance()
            yield outcome


@dataclass(frozen=True, slots=True)
class Watched:
    """A model whose answers move a progress."""

    model: Model
    rounds: Rounds

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[ModelOutcome]:
        """As the model answers."""
        return self.rounds.ask(self.model, requests)

    def estimate(self, requests: Iterable[ModelRequest]) -> Estimate:
        """As the model estimates."""
        return self.model.estimate(requests)


OpenModel = Callable[[], AbstractContextManager[Model]]

RULES = "rules"
PATHS_A_QUESTION = 4
"""With a quarter of the drawn paths kept the target is still met."""


@dataclass(frozen=True, slots=True)
class QuestionTools:
    """Names as they are recorded, and how the models are opened; None where rules do the work.

    What models spend comes from one `budget`. For each chain question that is wanted of a depth a model is
    shown no more than `paths_a_question` paths.
    """

    writer: str = GENERATOR
    checks: str = RULES
    open_writer: OpenModel | None = None
    open_judge: OpenModel | None = None
    budget: Budget | None = None
    paths_a_question: int = PATHS_A_QUESTION

    @property
    def by_model(self) -> bool:
        """Whether a model has a part in it, so that each draft is paid for."""
        return self.open_writer is not None or self.open_judge is not None

    def opened_writer(self, stack: ExitStack, rounds: Rounds) -> Model | None:
        """The model that writes, open as long as the stack is."""
        return None if self.open_writer is None else Watched(stack.enter_context(self.open_writer()), rounds)

    def filters(
        self, stack: ExitStack, graph: Graph, corpus: str, choice: QuestionChoice, rounds: Rounds
    ) -> Sequence[Filter]:
        """The filters for a choice; a model among them is open as long as the stack is."""
        wanted = spans_clusters(graph, corpus, choice.cluster_by, choice.span_clusters)
        sure = CheckableFacts(graph, corpus, choice.least_confidence)
        if self.open_judge is None:
            return (sure, *rule_filters(graph, corpus), *wanted)
        from_memory = choice.known == "reject"
        judge = Watched(stack.enter_context(self.open_judge()), rounds)
        return (sure, *model_filters(graph, corpus, judge, wanted, from_memory=from_memory))


@dataclass(frozen=True, slots=True)
class QuestionJob:
    """For which corpus which questions are made, by whom; `draw` is how its paths were drawn."""

    graph: Graph
    corpus: str
    choice: QuestionChoice
    draw: PathOptions
    tools: QuestionTools
    embedder: Embedder
    progress: Progress
    engine: Engine = field(default_factory=LocalEngine)

    @property
    def most_paths(self) -> int:
        """How many paths of a depth a model is shown at most."""
        return self.tools.paths_a_question * self.choice.target


def question_tools(choice: QuestionChoice, settings: Settings, budget: Budget | None = None) -> QuestionTools:
    """What the choice asks for; without a budget to share, that of the settings at the writer's price.

    Raises:
        SettingsError: a model is to work and none is set for its role, or it has no price for a budget in
            money.
    """
    writes, judges = choice.generator == "model", choice.checks == "model"
    if not (writes or judges):
        return QuestionTools(budget=budget)
    if budget is None:
        budget = role_budget("generate" if writes else "judge", settings)
    return QuestionTools(
        writer=writer_name(_model("generate", settings)) if writes else GENERATOR,
        checks=f"model/{_model('judge', settings)}" if judges else RULES,
        open_writer=(lambda: open_model("generate", settings, budget)) if writes else None,
        open_judge=(lambda: open_model("judge", settings, budget)) if judges else None,
        budget=budget,
        paths_a_question=settings.hopgrade_paths_per_question,
    )


def _model(role: Role, settings: Settings) -> str:
    return role_endpoint(role, settings).model
