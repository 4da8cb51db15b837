"""The extractive reader as a generator, so that every system runs without a model."""

from collections.abc import Iterator, Sequence

from services.rag.cited_articles import citations
from services.rag.clauses import clauses_of
from services.rag.decompose_rules import decompose
from services.rag.protocol import Generated, ReadTask
from services.rag.reader import NO_ANSWER, READER, Reading, read_answer, read_on_the_way


class RulesGenerator:
    """Answers by the rules of `services.rag.reader`; it never fails, and costs nothing."""

    @property
    def name(self) -> str:
        """The reader's version."""
        return READER

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generated]:
        """One answer a task, in order."""
        for task in tasks:
            reading = _read(task)
            yield Generated(
                reading.answer, entity=reading.entity, chunk=reading.chunk, sentence=reading.sentence
            )

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generated]]:
        """The sub-questions of each question, by the form of its clauses."""
        for question in questions:
            yield _side_by_side(question) or decompose(question), Generated("")


def _side_by_side(question: str) -> tuple[str, ...]:
    """Sub-questions that do not wait for each other: a question about each cited article, or each clause."""
    cited = tuple(f"What does {one} tell of?" for one in citations(question))
    return cited or tuple(clause.question for clause in clauses_of(question))


def _read(task: ReadTask) -> Reading:
    """An intermediate answer, or the final one.

    Where every part of a chain has an answer, the last sub-question is read, which has the names in it that
    the question only describes. A part that the passages do not support leaves the chain without an answer.
    """
    if task.on_the_way:
        return read_on_the_way(task.question, task.passages)
    asked = [note.rpartition(": ")[0] for note in task.notes]
    if not asked or asked[-1] == task.question or _side_by_side(task.question):
        return read_answer(task.question, task.passages)
    if len(asked) < len(decompose(task.question)):
        return Reading(NO_ANSWER)
    return read_answer(asked[-1], task.passages)
