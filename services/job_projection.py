"""What a whole job with models costs, told from what recorded ones took, before there is anything to count.

The dry runs of the commands count the very requests that they would send. Before a corpus is there, or for
one that was read by rules, this says what a job of its size may take: the steps of the recorded jobs of
docs/evaluation/model.md that tests replay, those that read articles by the letters of these, the others by
the question.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from kg.llm.protocol import Role, Usage
from kg.llm.roles import role_budget
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph

RECORDED_LETTERS, RECORDED_QUESTIONS, RECORDED_ANSWERS = 638_655, 181, 398
"""The letters of the articles of the recorded jobs, the questions that were kept there, and the answers that
a model gave to them without an agent, in two or three runs."""

USUAL_ARTICLES, USUAL_LETTERS = 100, 1_600
"""What is projected for where there is no corpus at hand; an article is as long as those of the third job."""
USUAL_QUESTIONS = 100
"""So many questions are kept, answered and judged."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the recorded jobs: which role it asks, and what it took for so many letters or questions."""

    name: str
    role: Role
    scale: Literal["letters", "questions"]
    recorded: int
    calls: int
    input_tokens: int
    output_tokens: int


STEPS = (
    Step("extraction", "extract", "letters", RECORDED_LETTERS, 2_153, 2_997_897, 1_085_786),
    Step("links", "extract", "letters", RECORDED_LETTERS, 182, 435_916, 50_892),
    Step("writing questions", "generate", "questions", RECORDED_QUESTIONS, 329, 704_005, 38_762),
    Step("checking questions", "judge", "questions", RECORDED_QUESTIONS, 1_445, 1_485_803, 14_389),
    Step("answering", "answer", "questions", RECORDED_ANSWERS, 398, 554_754, 2_882),
    Step("judging", "judge", "questions", RECORDED_ANSWERS, 247, 231_825, 3_980),
)
"""Tokens in as the endpoint of the recordings counted them, tokens out as dry runs count. Answers are those
of single-step and of a model alone, some of rules were judged beside; equal ones were judged once."""


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


USUAL_SIZE = ArticleSize("", USUAL_ARTICLES, USUAL_ARTICLES * USUAL_LETTERS)


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
        factor = (size.letters if step.scale == "letters" else USUAL_QUESTIONS) / step.recorded
        usage = Usage(round(step.input_tokens * factor), round(step.output_tokens * factor))
        calls, money = round(step.calls * factor), money_of[step.role](usage)
        steps.append(ProjectedStep(step.name, calls, usage.input_tokens, usage.output_tokens, money))
    return Projection(size.corpus, size.articles, USUAL_QUESTIONS, tuple(steps))
