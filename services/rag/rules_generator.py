"""The extractive reader as a generator, so that every system runs without a model."""

from collections.abc import Iterator, Sequence

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
            yield decompose(question), Generated("")


def _read(task: ReadTask) -> Reading:
    """An intermediate answer, or the final one: that to the last sub-question, else to the question itself.

    The last sub-question has the names in it that were found on the way, which the question only describes.
    """
    if task.on_the_way:
        return read_on_the_way(task.question, task.passages)
    for note in task.notes[-1:]:
        asked = note.rpartition(": ")[0]
        found = read_answer(asked, task.passages)
        if found.answer != NO_ANSWER:
            return found
    return read_answer(task.question, task.passages)
