"""Questions, answers and passages as a model sees them: each inside a fence of its own."""

from collections.abc import Mapping, Sequence

from kg.llm.prompts import fenced, on_one_line
from services.questions.composed.passages import Passage
from services.questions.composed.protocol import Atom, Composed


def question_shown(question: str, answer: str, label: str) -> str:
    """A question with its answer."""
    return fenced(_lines(question, answer), label)


def base_shown(composed: Composed) -> str:
    """The whole question so far with its answer, and those of its steps, which must stay hidden as well."""
    told = _lines(composed.last.question, composed.last.answer)
    steps = dict.fromkeys(on_one_line(hop.atom.answer) for hop in composed.hops[:-1])
    if steps:
        told += f"\nAnswers of its steps: {'; '.join(steps)}"
    return fenced(told, "first question")


def _lines(question: str, answer: str) -> str:
    return f"Question: {on_one_line(question)}\nAnswer: {on_one_line(answer)}"


def steps_shown(composed: Composed) -> str:
    """Each hop's own question with its answer, in their order."""
    return "\n\n".join(
        question_shown(hop.atom.question, hop.atom.answer, f"step {hop.number}") for hop in composed.hops
    )


def passages_shown(
    atoms: Sequence[Atom], passages: Mapping[str, Passage], label: str = "passage of the first"
) -> str:
    """The passages of some atoms, each once; where a chunk is gone, the sentence behind the atom."""
    shown = {
        atom.chunk: passages[atom.chunk].shown(label)
        if atom.chunk in passages
        else fenced(atom.sentence, label)
        for atom in atoms
    }
    return "\n\n".join(shown.values())
