"""Single-step RAG: the chunks nearest to the question, one generation (GRADE, section 3.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from services.rag.passages import PassageReader, passages_of
from services.rag.protocol import Answered, Asked, Generator, ReadTask, Retriever
from services.rag.trace import Trace, answer_all, retrieve_all


@dataclass(frozen=True, slots=True)
class SingleStep:
    """Retrieve once, answer once."""

    retriever: Retriever
    read: PassageReader
    generator: Generator
    name: str = "single-step"
    top: int | None = None

    def answer(self, questions: Sequence[Asked]) -> list[Answered]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        started = monotonic()
        traces = [Trace(question, self.top) for question in questions]
        hits = retrieve_all(self.retriever, traces, questions)
        passages = passages_of(self.read, hits)
        tasks = [ReadTask(q.text, seen, asked=q.id) for q, seen in zip(questions, passages, strict=True)]
        answer_all(self.generator, traces, tasks)
        seconds = (monotonic() - started) / max(len(traces), 1)
        return [trace.result(found, seconds) for trace, found in zip(traces, hits, strict=True)]
