"""What a whole job with models costs, told from what a recorded one took, before there is anything to count.

The dry runs of the commands count the very requests that they would send. Before a corpus is there, or for
one that was read by rules, this says what a job of its size may take: the steps of the recorded job of
docs/evaluation/model.md, by the letters of the articles, and for answers and verdicts by the question.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from kg.llm.protocol import Role, Usage
from kg.llm.roles import role_budget
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph

RECORDED_ARTICLES, RECORDED_LETTERS = 42, 67_202
"""The articles of the recorded job, and the letters of their bodies."""

USUAL_ARTICLES = 100
USUAL_QUESTIONS = 100
"""What is projected for where there is no corpus at hand, and how many questions are answered and judged."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the recorded job: which role it asks, and what it took for so many articles or questions."""

    name: str
    role: Role
    scale: Literal["articles", "questions"]
    questions: int
    calls: int
    input_tokens: int
    output_tokens: int


STEPS = (
    Step("extraction", "extract", "articles", 0, 230, 308_694, 119_214),
    Step("links", "extract", "articles", 0, 14, 29_495, 3_703),
    Step("writing questions", "generate", "articles", 0, 62, 105_612, 3_387),
    Step("checking questions", "judge", "articles", 0, 106, 80_151, 947),
    Step("answering", "answer", "questions", 22, 22, 52_026, 112),
    Step("judging", "judge", "questions", 13, 13, 12_068, 234),
)
"""Tokens in as the endpoint of the recording counted them, tokens out as dry runs count. Answers are those of
the system single-step."""


@dataclass(frozen=True, slots=True)
class ProjectedStep:
    """What a step may take; `money` is None where the model of its role has no price."""

    name: str
    calls: int
    input_tokens: int
    output_tokens: int
    money: float | None


@dataclass(frozen=True, slots=True)
class Projection:
    """What a job may take, step by step; `corpus` is empty where none is at hand, for articles as usual."""

    corpus: str
    articles: int
    questions: int
    steps: tuple[ProjectedStep, ...]

    @property
    def money(self) -> float | None:
        """Of all steps together, None where one has no price."""
        prices = [step.money for step in self.steps if step.money is not None]
        return sum(prices) if len(prices) == len(self.steps) else None


@dataclass(frozen=True, slots=True)
class ArticleSize:
    """How many articles a corpus has, and how many letters in all."""

    corpus: str
    articles: int
    letters: int


USUAL_SIZE = ArticleSize("", USUAL_ARTICLES, round(USUAL_ARTICLES * RECORDED_LETTERS / RECORDED_ARTICLES))


def largest_corpus(graph: Graph) -> ArticleSize | None:
    """The corpus with the longest articles in all; None where there is none with articles."""
    for row in graph.rows(query("corpus/measure_articles")):
        return ArticleSize(row["name"], row["articles"], row["letters"])
    return None


def project_job(size: ArticleSize, settings: Settings) -> Projection:
    """What a job in which models do all that they can may take for articles of this size.

    Raises:
        SettingsError: no model is set for a role, or there is a budget in money and one has no price.
    """
    money_of: Mapping[Role, Callable[[Usage], float | None]] = {
        role: role_budget(role, settings).money_of for role in dict.fromkeys(step.role for step in STEPS)
    }
    steps = []
    for step in STEPS:
        by_letters = size.letters / RECORDED_LETTERS
        factor = by_letters if step.scale == "articles" else USUAL_QUESTIONS / step.questions
        usage = Usage(round(step.input_tokens * factor), round(step.output_tokens * factor))
        calls, money = round(step.calls * factor), money_of[step.role](usage)
        steps.append(ProjectedStep(step.name, calls, usage.input_tokens, usage.output_tokens, money))
    return Projection(size.corpus, size.articles, USUAL_QUESTIONS, tuple(steps))
