"""A model by rule for the scripted endpoint, which reads the plain sentences of an invented valley.

It finds sentences, claims, pairs and facts inside the fences of the prompts, as a model would, and answers
each number by its own text alone, so that answers don't depend on how numbers were put into requests.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.scripted_endpoint import Answer, Asked

PERSONS = tuple(
    f"{given} {surname}"
    for surname in ("Tolland", "Brask", "Darrow", "Venning")
    for given in ("Mira", "Anton", "Ivo", "Orla", "Otto", "Greta")
)
FIRMS = tuple(
    f"{place} {trade}"
    for trade in ("Shipping", "Foods", "Bank", "Works")
    for place in ("Halden", "Kald", "Norholm", "Corrin", "Verrin", "Ostby")
)
TOWNS = (
    "Kaldmere", "Ostby", "Norholm", "Verrin", "Corrinford", "Haldenau", "Lund", "Torvik", "Marsk", "Eldby",
    "Sundet", "Gravholm",
)  # fmt: skip
TYPES = {
    **dict.fromkeys(PERSONS, "PERSON"),
    **dict.fromkeys(FIRMS, "ORG"),
    **dict.fromkeys(TOWNS, "GPE"),
}

_TASKS = {
    "sentences": "You read one news article and write down",
    "checks": "You check statements against the sentences",
    "statements": "You take statements apart",
    "pairs": "You find names and descriptions that stand for one",
}

_FENCE = re.compile(r"<<data ([0-9a-f]+): ([^>]*)>>\n(.*?)\n<<end \1>>", re.DOTALL)
_LINE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
_WANTED = re.compile(r"sentences? ([\d, -]+)\.$")
_FACT = re.compile(
    r"(?P<subject>[A-Z]\w+(?: [A-Z]\w+)?) (?P<denied>never )?"
    r"(?P<predicate>founded|owns|is based in|was born in|opened in|leads) (?P<object>[A-Z0-9][\w ]*)"
)


def fences(asked: Asked) -> Mapping[str, str]:
    """The texts that the request puts inside fences, by label."""
    return {label: text for _, label, text in _FENCE.findall(asked.question)}


def outside(asked: Asked) -> str:
    """What stands outside the fences of the user's message."""
    return _FENCE.sub("", asked.question)


def lines(text: str) -> dict[int, str]:
    """The numbered lines of a text."""
    return {int(number): line for number, line in _LINE.findall(text)}


def wanted(asked: Asked) -> list[int]:
    """The numbers that are asked about."""
    found = _WANTED.search(outside(asked).strip())
    assert found, outside(asked)
    numbers: list[int] = []
    for part in found[1].split(", "):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def task(asked: Asked) -> str:
    """What the answer lists: sentences, checks, statements or pairs."""
    (found,) = (name for name, words in _TASKS.items() if words in asked.system)
    return found


def read(asked: Asked) -> Answer:
    """Answer as a careful reader."""
    name = task(asked)
    if name == "pairs":
        asked_about = re.findall(r"^(\d+)\. ", fences(asked)["pairs"], re.MULTILINE)
        return {"pairs": [{"number": int(one), "reason": "", "verdict": "different"} for one in asked_about]}
    found = fences(asked)
    text = lines(found["article" if name == "sentences" else "statements"])
    items = {"sentences": sentence, "checks": check, "statements": statement}
    return {name: [{"number": number, **items[name](text[number])} for number in wanted(asked)]}


def sentence(text: str) -> dict[str, Any]:
    """An opinion if it is sad, something else if it is a question, else a fact that stands as it is."""
    kind = "opinion" if "sad" in text else "other" if text.endswith("?") else "fact"
    return {"kind": kind, "claim": text if kind == "fact" else ""}


def check(text: str) -> dict[str, Any]:
    """Doubtful is what says so."""
    if "perhaps" in text:
        return {"verdict": "more", "reason": "the sentence leaves it open"}
    return {"verdict": "same", "reason": ""}


def statement(text: str) -> dict[str, Any]:
    """The facts of a claim."""
    return {"facts": list(facts(text))}


def facts(text: str) -> Iterator[dict[str, Any]]:
    """Each fact that the valley's verbs tell."""
    for found in _FACT.finditer(text):
        target = found["object"].strip()
        yield fact(found["subject"], found["predicate"], target, negated=bool(found["denied"]))


def fact(subject: str, predicate: str, target: str, **changes: object) -> dict[str, Any]:
    """A fact as the schema has it."""
    return {
        "subject": subject,
        "subject_type": TYPES.get(subject, "MISC"),
        "predicate": predicate,
        "object": target,
        "object_type": TYPES.get(target, "DATE" if target.isdigit() else "MISC"),
        "negated": False,
        "attributed_to": "",
        "confidence": "sure",
        **changes,
    }


def changed(**answers: Callable[[Asked, Any], Answer]) -> Callable[[Asked], Answer]:
    """The reader, but what it answers to some tasks goes through functions of the request and the answer."""

    def respond(asked: Asked) -> Answer:
        answer = read(asked)
        change = answers.get(task(asked))
        return change(asked, answer) if change else answer

    return respond
