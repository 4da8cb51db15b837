"""Query-decomposition RAG: sub-questions retrieve on their own, a reranker picks (GRADE, appendix A.4).

Sub-questions are answered in their order; an answer stands in for "#1" in the later ones. What they retrieved
is merged without duplicates and reranked, and the final answer is read from the best `top`. The reranker
reads the passages beside the question together with its sub-questions, since the question only describes the
names that were found. Where a search brings more candidates than `top`, a part is answered from its first
`top`, and all go to the reranker.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import monotonic

from kg.embed.choose import Embedder
from services.answers import is_abstention
from services.rag.passages import PassageReader, passages_of
from services.rag.protocol import Answered, Generator, Hit, RagQuestion, ReadTask, Reranker, Retriever
from services.rag.trace import Trace, answer_all, embedded, noted, retrieve_all, share_seconds

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
        return filled(self.questions[len(self.queries)], self.queries, self.answers)


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

    def answer(self, questions: Sequence[RagQuestion]) -> list[Answered]:
        """One answer a question, in order; each step is taken for all questions before the next."""
        started = monotonic()
        all_going = []
        parts = self.generator.decompose([question.text for question in questions])
        for question, (found, generated) in zip(questions, parts, strict=True):
            going = _Progress(Trace(question, self.candidates or self.top), found)
            going.trace.decomposed(found, generated)
            all_going.append(going)
        share_seconds([one.trace for one in all_going], started)
        while open_ones := [one for one in all_going if not one.trace.failed and _has_more(one)]:
            self._ask_next(open_ones)
        whole = [one for one in all_going if not one.trace.failed]
        best = {one.trace.question.id: self._best(one) for one in whole}
        passages = passages_of(self.read, [best[one.trace.question.id] for one in whole])
        tasks = [
            ReadTask(
                one.trace.question.text,
                seen,
                tuple(one.notes),
                steps=one.trace.brought,
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
        hits = retrieve_all(self.retriever, traces, embedded(traces, texts, self.embedder))
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
            one.notes += noted(text, answer)
            for hit in found:
                known = one.hits.get(hit.chunk)
                one.hits[hit.chunk] = hit if known is None or hit.score > known.score else known

    def _best(self, one: _Progress) -> list[Hit]:
        chunks = [hit.chunk for hit in sorted(one.hits.values(), key=lambda hit: (-hit.score, hit.chunk))]
        passages = self.read(chunks)
        query = " ".join(dict.fromkeys((one.trace.question.text, *one.queries)))
        began = monotonic()
        hits = self.reranker.rerank(query, [passages[chunk] for chunk in chunks])[: self.top]
        one.trace.reranked(query, hits, len(chunks), self.top)
        share_seconds([one.trace], began)
        return hits


def filled(question: str, asked: Sequence[str], answers: Sequence[str]) -> str:
    """A sub-question with earlier answers for their marks; without an answer, with what was asked for it."""

    def stand_in(match: re.Match[str]) -> str:
        index = int(match[1]) - 1
        if not 0 <= index < len(asked):
            return match[0]
        return answers[index] or f"({asked[index].rstrip('?')})"

    return _MARK.sub(stand_in, question)


def waits_for(question: str) -> tuple[int, ...]:
    """The numbers, from 1, of the earlier sub-questions whose answers a sub-question speaks of."""
    return tuple(int(match[1]) for match in _MARK.finditer(question))


def _has_more(one: _Progress) -> bool:
    return len(one.queries) < len(one.questions)
