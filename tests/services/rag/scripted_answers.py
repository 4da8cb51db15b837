"""A model that answers by the extractive reader, from what its requests hold and from nothing else."""

import re

from services.rag.decompose_rules import decompose
from services.rag.reader import read_answer, read_on_the_way
from tests.scripted_endpoint import Answer, Asked
from tests.services.rag.passages import NAMES, passage

_FENCE = re.compile(r"<<data ([0-9a-f]+): ([^>]*)>>\n(.*?)\n<<end \1>>", re.DOTALL)
_TASKS = {
    "answer": "You answer a question from passages",
    "on the way": "You help to answer a question that takes several facts",
    "decompose": "You take a question apart",
    "from memory": "You answer questions from memory",
}


def fences(asked: Asked) -> dict[str, str]:
    """The texts inside fences of the user's message, by label."""
    return {label: text for _, label, text in _FENCE.findall(asked.question)}


def task(asked: Asked) -> str:
    """What is asked for: answer, on the way, decompose, or from memory."""
    (found,) = (name for name, words in _TASKS.items() if asked.system.startswith(words))
    return found


def answer_as_told(asked: Asked) -> Answer:
    """Read the passages by rules; names are those of the small world."""
    given = fences(asked)
    question, what = given["question"], task(asked)
    if what == "decompose":
        return {"questions": list(decompose(question))}
    if what == "from memory":
        return {"answer": "Kaldmere"}
    passages = [
        passage(text.partition("\n\n")[2], number, NAMES)
        for number, (label, text) in enumerate(given.items())
        if label.startswith("passage")
    ]
    read = read_on_the_way if what == "on the way" else read_answer
    return f"Answer: {read(question, passages).answer}"
