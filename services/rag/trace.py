"""What becomes of one question in a system: its steps, what they took, and the answer at the end."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Literal

from kg.embed.choose import Embedder
from kg.llm.protocol import Usage
from services.answers import is_abstention
from services.rag.protocol import (
    Answered,
    Generated,
    Generator,
    Hit,
    RagQuestion,
    ReadTask,
    Retrieved,
    Retriever,
    Step,
)
from services.rag.rerank import RerankedRetriever

_Action = Literal["retrieve", "answer", "decompose", "rerank"]


def answer_all(generator: Generator, traces: Sequence["Trace"], tasks: Sequence[ReadTask]) -> None:
    """Let a generator answer a task for each question, and note what came."""
    began = monotonic()
    for trace, task, generated in zip(traces, tasks, generator.answer(tasks), strict=True):
        trace.answered(task.question, generated)
    share_seconds(traces, began)


def retrieve_all(
    retriever: Retriever, traces: Sequence["Trace"], looked: Sequence[RagQuestion]
) -> list[list[Hit]]:
    """Retrieve for each question by what is looked for, note what came, and what a reranker left."""
    began = monotonic()
    reranked = retriever if isinstance(retriever, RerankedRetriever) else None
    found = (retriever if reranked is None else reranked.retriever).retrieve(looked)
    for trace, question, hits in zip(traces, looked, found, strict=True):
        trace.retrieved(question.text, hits, None if reranked is None else reranked.candidates)
    share_seconds(traces, began)
    if reranked is None:
        return found
    began = monotonic()
    best = reranked.best_of(looked, found)
    for trace, question, hits, candidates in zip(traces, looked, best, found, strict=True):
        trace.reranked(question.text, hits, len(candidates), reranked.limit)
    share_seconds(traces, began)
    return best


def share_seconds(traces: Sequence["Trace"], began: float) -> None:
    """Give the last step of each question its share of the time since then: they were taken together."""
    seconds = (monotonic() - began) / max(len(traces), 1)
    for trace in traces:
        trace.steps[-1] = replace(trace.steps[-1], seconds=seconds)


def embedded(traces: Sequence["Trace"], texts: Sequence[str], embedder: Embedder) -> list[RagQuestion]:
    """What to retrieve for each question next, in other words than its own."""
    vectors = embedder.embed_queries(texts)
    return [
        RagQuestion(trace.question.id, text, vector, trace.question.filters)
        for trace, text, vector in zip(traces, texts, vectors, strict=True)
    ]


def noted(question: str, generated: Generated) -> tuple[str, ...]:
    """An answer as a note for a later step, none where nothing was found."""
    return () if is_abstention(generated.text) else (f"{question}: {generated.text}",)


@dataclass(slots=True)
class Trace:
    """A question on its way, with everything that was done for it so far.

    `top` is how many chunks a retrieval asks for, None where nobody tells.
    """

    question: RagQuestion
    top: int | None = None
    steps: list[Step] = field(default_factory=list)
    generations: list[Generated] = field(default_factory=list)
    brought: dict[str, int] = field(default_factory=dict)
    """The step that first brought each chunk."""

    @property
    def failed(self) -> bool:
        """Whether a generation failed; then nothing more is done for the question."""
        return any(one.error for one in self.generations)

    def retrieved(self, query: str, hits: list[Hit], asked_for: int | None = None) -> None:
        """Note a retrieval; `asked_for` is how many chunks it was to find, where that isn't `top`."""
        step = self._step("retrieve", query, f"{len(hits)} chunks", hits)
        self.steps[-1] = replace(step, retrieves=True, top_k=asked_for or self.top)
        for hit in hits:
            self.brought.setdefault(hit.chunk, len(self.steps))

    def reranked(self, query: str, hits: list[Hit], candidates: int, top: int) -> None:
        """Note a reranking of so many chunks, and which of them are left; `top` is how many at most."""
        step = self._step("rerank", query, f"{len(hits)} of {candidates} chunks", hits)
        self.steps[-1] = replace(step, top_k=top)

    def answered(self, query: str, generated: Generated) -> None:
        """Note a generation, whether it gave an answer or failed."""
        self.generations.append(generated)
        self._step("answer", query, generated.error or generated.text, usage=generated.usage)

    def decomposed(self, questions: tuple[str, ...], generated: Generated) -> None:
        """Note the sub-questions."""
        self.generations.append(generated)
        told = generated.error or "\n".join(f"#{n} {text}" for n, text in enumerate(questions, start=1))
        self._step("decompose", self.question.text, told, usage=generated.usage)

    def result(self, hits: list[Hit], seconds: float) -> Answered:
        """The answer of the last generation, with the chunks that it saw in their order.

        `cost` is None where no generation has a price.
        """
        error = next((one.error for one in self.generations if one.error), "")
        last = self.generations[-1] if self.generations and not error else Generated("")
        costs = [one.cost for one in self.generations if one.cost is not None]
        return Answered(
            question=self.question.id,
            text=last.text,
            retrieved=tuple(
                Retrieved(hit.chunk, rank, hit.score, self.brought.get(hit.chunk, 0))
                for rank, hit in enumerate(hits, start=1)
            ),
            steps=tuple(self.steps),
            prompts=tuple(dict.fromkeys(one.prompt for one in self.generations if one.prompt)),
            usage=sum((one.usage for one in self.generations), Usage()),
            cost=sum(costs) if costs else None,
            seconds=seconds,
            error=error,
            entity=last.entity,
            chunk=last.chunk,
            sentence=last.sentence,
            cited=last.cited,
            unknown_citations=last.unknown_citations,
            passages_shown=last.passages_shown,
        )

    def _step(
        self,
        action: _Action,
        query: str,
        observation: str,
        hits: Sequence[Hit] = (),
        usage: Usage | None = None,
    ) -> Step:
        took = usage or Usage()
        step = Step(len(self.steps) + 1, action, query, observation, tuple(hits), usage=took)
        self.steps.append(step)
        return step
