"""What becomes of one question in a system: its steps, what they took, and the answer at the end.

Query-decomposition RAG: sub-questions retrieve on their own, a reranker picks (GRADE, appendix A.4).

Sub-questions are answered in their order; an answer stands in for "#1" in the later ones. What they retrieved
is merged without duplicates and reranked, and the final answer is read from the best `top`. The reranker
reads the passages beside the question together with its sub-questions, since the question only describes the
names that were found. Where a search brings more candidates than `top`, a part is answered from its first
`top`, and all go to the reranker.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Literal

from kg.embed.choose import Embedder
from kg.llm.protocol import Usage
from services.answers import is_abstention
from services.rag.answering import PassageReader, passages_of
from services.rag.protocol import (
    Generation,
    Generator,
    Hit,
    RagAnswer,
    RagQuestion,
    ReadTask,
    Reranker,
    RetrievedChunk,
    Retriever,
    Step,
)
from services.rag.rerank import RerankedRetriever

_Action = Literal["retrieve", "answer", "decompose", "rerank"]


def answer_all(generator: Generator, traces: Sequence["Trace"], tasks: Sequence[ReadTask]) -> None:
    """Let a generator answer a task for each question, and note what came."""
    began = monotonic()
    for trace, task, generated in zip(traces, tasks, generator.answer(tasks), strict=True):
        trace.note_generation(task.question, generated)
    share_seconds(traces, began)


def retrieve_all(
    retriever: Retriever, traces: Sequence["Trace"], looked: Sequence[RagQuestion]
) -> list[list[Hit]]:
    """Retrieve for each question by what is looked for, note what came, and what a reranker left."""
    began = monotonic()
    reranked = retriever if isinstance(retriever, RerankedRetriever) else None
    found = (retriever if reranked is None else reranked.retriever).retrieve(looked)
    for trace, question, hits in zip(traces, looked, found, strict=True):
        trace.note_retrieval(question.text, hits, None if reranked is None else reranked.candidates)
    share_seconds(traces, began)
    if reranked is None:
        return found
    began = monotonic()
    best = reranked.best_of(looked, found)
    for trace, question, hits, candidates in zip(traces, looked, best, found, strict=True):
        trace.note_reranking(question.text, hits, len(candidates), reranked.limit)
    share_seconds(traces, began)
    return best


def share_seconds(traces: Sequence["Trace"], began: float) -> None:
    """Give the last step of each question its share of the time since then: they were taken together."""
    seconds = (monotonic() - began) / max(len(traces), 1)
    for trace in traces:
        trace.steps[-1] = replace(trace.steps[-1], seconds=seconds)


def embed_questions(traces: Sequence["Trace"], texts: Sequence[str], embedder: Embedder) -> list[RagQuestion]:
    """What to retrieve for each question next, in other words than its own."""
    vectors = embedder.embed_queries(texts)
    return [
        RagQuestion(trace.question.id, text, vector, trace.question.filters)
        for trace, text, vector in zip(traces, texts, vectors, strict=True)
    ]


def make_notes(question: str, generated: Generation) -> tuple[str, ...]:
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
    generations: list[Generation] = field(default_factory=list)
    first_steps: dict[str, int] = field(default_factory=dict)
    """The step that first brought each chunk."""

    @property
    def has_failed(self) -> bool:
        """Whether a generation failed; then nothing more is done for the question."""
        return any(one.error for one in self.generations)

    def note_retrieval(self, query: str, hits: list[Hit], asked_for: int | None = None) -> None:
        """Note a retrieval; `asked_for` is how many chunks it was to find, where that isn't `top`."""
        step = self._step("retrieve", query, f"{len(hits)} chunks", hits)
        self.steps[-1] = replace(step, retrieves=True, top_k=asked_for or self.top)
        for hit in hits:
            self.first_steps.setdefault(hit.chunk, len(self.steps))

    def note_reranking(self, query: str, hits: list[Hit], candidates: int, top: int) -> None:
        """Note a reranking of so many chunks, and which of them are left; `top` is how many at most."""
        step = self._step("rerank", query, f"{len(hits)} of {candidates} chunks", hits)
        self.steps[-1] = replace(step, top_k=top)

    def note_generation(self, query: str, generated: Generation) -> None:
        """Note a generation, whether it gave an answer or failed."""
        self.generations.append(generated)
        self._step("answer", query, generated.error or generated.text, usage=generated.usage)

    def note_decomposition(self, questions: tuple[str, ...], generated: Generation) -> None:
        """Note the sub-questions."""
        self.generations.append(generated)
        told = generated.error or "\n".join(f"#{n} {text}" for n, text in enumerate(questions, start=1))
        self._step("decompose", self.question.text, told, usage=generated.usage)

    def result(self, hits: list[Hit], seconds: float) -> RagAnswer:
        """The answer of the last generation, with the chunks that it saw in their order.

        `cost` is None where no generation has a price.
        """
        error = next((one.error for one in self.generations if one.error), "")
        last = self.generations[-1] if self.generations and not error else Generation("")
        costs = [one.cost for one in self.generations if one.cost is not None]
        return RagAnswer(
            question=self.question.id,
            text=last.text,
            retrieved=tuple(
                RetrievedChunk(hit.chunk, rank, hit.score, self.first_steps.get(hit.chunk, 0))
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


_MARK = re.compile(r"#(\d)")


@dataclass(slots=True)
class _Progress:
    """A question with its sub-questions, as they were asked, and the answers to them."""

    trace: Trace
    questions: tuple[str, ...]
    queries: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hits: dict[str, Hit] = field(default_factory=dict)

    @property
    def next(self) -> str:
        """The next sub-question, with earlier answers in it."""
        return fill_marks(self.questions[len(self.queries)], self.queries, self.answers)


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Decompose, retrieve and answer each part, merge, rerank, answer."""

    retriever: Retriever
    read: PassageReader
    generator: Generator
    embedder: Embedder
    reranker: Reranker
    top: int = 10
    candidates: int | None = None
    name: str = "decomposition"

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; each step is taken for all questions before the next."""
        started = monotonic()
        all_going = []
        parts = self.generator.decompose([question.text for question in questions])
        for question, (found, generated) in zip(questions, parts, strict=True):
            going = _Progress(Trace(question, self.candidates or self.top), found)
            going.trace.note_decomposition(found, generated)
            all_going.append(going)
        share_seconds([one.trace for one in all_going], started)
        while open_ones := [one for one in all_going if not one.trace.has_failed and _has_more(one)]:
            self._ask_next(open_ones)
        whole = [one for one in all_going if not one.trace.has_failed]
        best = {one.trace.question.id: self._best(one) for one in whole}
        passages = passages_of(self.read, [best[one.trace.question.id] for one in whole])
        tasks = [
            ReadTask(
                one.trace.question.text,
                seen,
                tuple(one.notes),
                steps=one.trace.first_steps,
                question_id=one.trace.question.id,
            )
            for one, seen in zip(whole, passages, strict=True)
        ]
        answer_all(self.generator, [one.trace for one in whole], tasks)
        seconds = (monotonic() - started) / max(len(all_going), 1)
        return [one.trace.result(best.get(one.trace.question.id, []), seconds) for one in all_going]

    def _ask_next(self, going: Sequence[_Progress]) -> None:
        """Retrieve and answer the next sub-question of each."""
        traces, texts = [one.trace for one in going], [one.next for one in going]
        hits = retrieve_all(self.retriever, traces, embed_questions(traces, texts, self.embedder))
        passages = passages_of(self.read, [found[: self.top] for found in hits])
        tasks = [
            ReadTask(text, seen, question_id=trace.question.id, part=True)
            for trace, text, seen in zip(traces, texts, passages, strict=True)
        ]
        answer_all(self.generator, traces, tasks)
        for one, text, found in zip(going, texts, hits, strict=True):
            answer = one.trace.generations[-1]
            one.queries.append(text)
            one.answers.append("" if is_abstention(answer.text) else answer.text)
            one.notes += make_notes(text, answer)
            for hit in found:
                known = one.hits.get(hit.chunk)
                one.hits[hit.chunk] = hit if known is None or hit.score > known.score else known

    def _best(self, one: _Progress) -> list[Hit]:
        chunks = [hit.chunk for hit in sorted(one.hits.values(), key=lambda hit: (-hit.score, hit.chunk))]
        passages = self.read(chunks)
        query = " ".join(dict.fromkeys((one.trace.question.text, *one.queries)))
        began = monotonic()
        hits = self.reranker.rerank(query, [passages[chunk] for chunk in chunks])[: self.top]
        one.trace.note_reranking(query, hits, len(chunks), self.top)
        share_seconds([one.trace], began)
        return hits


def fill_marks(question: str, questions: Sequence[str], answers: Sequence[str]) -> str:
    """A sub-question with earlier answers for their marks; without an answer, with what was asked for it."""

    def stand_in(match: re.Match[str]) -> str:
        index = int(match[1]) - 1
        if not 0 <= index < len(questions):
            return match[0]
        return answers[index] or f"({questions[index].rstrip('?')})"

    return _MARK.sub(stand_in, question)


def waits_for(question: str) -> tuple[int, ...]:
    """The numbers, from 1, of the earlier sub-questions whose answers a sub-question speaks of."""
    return tuple(int(match[1]) for match in _MARK.finditer(question))


def _has_more(one: _Progress) -> bool:
    return len(one.queries) < len(one.questions)
