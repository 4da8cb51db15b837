"""Who writes and who checks questions: rules, or language models that are opened when they are needed."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

from kg.embed.protocol import Embedder
from kg.llm.budget import Budget
from kg.llm.open import open_model, role_budget
from kg.llm.protocol import Model, Role
from kg.llm.roles import role_endpoint
from kg.progress import Progress
from kg.settings import Settings
from kg.stages.path_finding import PathOptions
from kg.store.graph import Graph
from services.questions.choice import QuestionChoice
from services.questions.filters.choose import model_filters, rule_filters
from services.questions.filters.protocol import Filter
from services.questions.filters.spanning import spans_clusters
from services.questions.generate import writer_name
from services.questions.wording.chain import GENERATOR

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

    def opened_writer(self, stack: ExitStack) -> Model | None:
        """The model that writes, open as long as the stack is."""
        return None if self.open_writer is None else stack.enter_context(self.open_writer())

    def filters(
        self, stack: ExitStack, graph: Graph, corpus: str, choice: QuestionChoice
    ) -> Sequence[Filter]:
        """The filters for a choice; a model among them is open as long as the stack is."""
        wanted = spans_clusters(graph, corpus, choice.cluster_by, choice.span_clusters)
        if self.open_judge is None:
            return (*rule_filters(graph, corpus), *wanted)
        from_memory = choice.known == "reject"
        return model_filters(
            graph, corpus, stack.enter_context(self.open_judge()), wanted, from_memory=from_memory
        )


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
