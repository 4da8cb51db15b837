"""Multi-step RAG: an intermediate answer leads a second retrieval (GRADE, appendix A.4).

The second retrieval looks for the question, the intermediate answer and the context that was retrieved: its
sentences that name the intermediate answer, or without an answer the best passage, as far as the embedder
reads. All of the context would not fit, and would drown the question in what was found already. The final
answer is read from the chunks of both retrievals, in turn, those of the second first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from time import monotonic

from kg.embed.protocol import Embedder
from kg.text.sentences import sentence_spans
from kg.text.tokens import count_tokens
from services.evaluate.answers import is_abstention
from services.rag.passages import PassageReader, passages_of
from services.rag.protocol import Answered, Asked, Generator, Hit, Passage, ReadTask, Retriever
from services.rag.trace import Trace, answer_all, embedded, noted, retrieve_all

MOST_QUERY_TOKENS = 512
"""A query is cut here even where the embedder reads on."""


@dataclass(frozen=True, slots=True)
class MultiStep:
    """Retrieve, answer on the way, retrieve again, answer."""

    retriever: Retriever
    read: PassageReader
    generator: Generator
    embedder: Embedder
    name: str = "multi-step"
    top: int | None = None

    def answer(self, questions: Sequence[Asked]) -> list[Answered]:
        """One answer a question, in order; each step is taken for all questions before the next."""
        started = monotonic()
        traces = [Trace(question, self.top) for question in questions]
        first = retrieve_all(self.retriever, traces, questions)
        queries = self._on_the_way(traces, first)
        going = [trace for trace in traces if not trace.failed]
        second = self._again(going, queries)
        merged = {
            trace.asked.id: in_turn(second.get(trace.asked.id, []), found)
            for trace, found in zip(traces, first, strict=True)
        }
        passages = passages_of(self.read, [merged[trace.asked.id] for trace in going])
        tasks = [
            ReadTask(
                trace.asked.text,
                seen,
                notes=noted(trace.asked.text, trace.generations[-1]),
                steps=trace.brought,
                asked=trace.asked.id,
            )
            for trace, seen in zip(going, passages, strict=True)
        ]
        answer_all(self.generator, going, tasks)
        seconds = (monotonic() - started) / max(len(traces), 1)
        return [trace.result(merged[trace.asked.id], seconds) for trace in traces]

    def _on_the_way(self, traces: Sequence[Trace], hits: Sequence[list[Hit]]) -> dict[str, str]:
        """The second query of each question that has an intermediate answer."""
        passages = passages_of(self.read, hits)
        tasks = [
            ReadTask(trace.asked.text, seen, on_the_way=True, asked=trace.asked.id)
            for trace, seen in zip(traces, passages, strict=True)
        ]
        answer_all(self.generator, traces, tasks)
        room = min(self.embedder.max_tokens, MOST_QUERY_TOKENS)
        return {
            trace.asked.id: second_query(trace.asked.text, trace.generations[-1].text, seen, room)
            for trace, seen in zip(traces, passages, strict=True)
            if not trace.failed
        }

    def _again(self, going: Sequence[Trace], queries: dict[str, str]) -> dict[str, list[Hit]]:
        texts = [queries[trace.asked.id] for trace in going]
        found = retrieve_all(self.retriever, going, embedded(going, texts, self.embedder))
        return {trace.asked.id: hits for trace, hits in zip(going, found, strict=True)}


def second_query(question: str, intermediate: str, passages: Sequence[Passage], room: int) -> str:
    """Question, intermediate answer and context, in at most `room` tokens; context by whole sentences."""
    known = not is_abstention(intermediate)
    query = f"{question} {intermediate}" if known else question
    for sentence in _context(passages, intermediate if known else ""):
        longer = f"{query} {sentence}"
        if count_tokens(longer) > room:
            break
        query = longer
    return query


def in_turn(one: Sequence[Hit], other: Sequence[Hit]) -> list[Hit]:
    """The hits of two lists in turn, each chunk once, at its better place."""
    both = [hit for pair in zip_longest(one, other) for hit in pair if hit is not None]
    return list({hit.chunk: hit for hit in reversed(both)}.values())[::-1]


def _context(passages: Sequence[Passage], name: str) -> Iterator[str]:
    for passage in passages if name else passages[:1]:
        for span in sentence_spans(passage.text):
            sentence = passage.text[span.start : span.end]
            if name.casefold() in sentence.casefold():
                yield sentence
