"""A model by rule that composes questions about two small worlds, and helpers to call it.

The chain of `little_world` becomes a sequential question; the opening years of two museums a parallel one.
It answers from passages only where all sentences that a question takes are shown.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from kg.llm.protocol import Model
from kg.llm.roles import open_model
from kg.model import EntityType
from services.questions.composed.protocol import Atom, Candidate, Composed, Hop, Parts, Refused, Topology
from services.questions.composed.stage import model_parts
from services.questions.draft import Check
from tests.scripted_endpoint import Answer, Asked, Endpoint, Fault, scripted_endpoint
from tests.scripted_reader import fences
from tests.services.questions.filters.little_world import CHAIN, Said, World

MUSEUMS = (
    Said("Tarn Museum", "opened in", "1931", "m1"),
    Said("Brinmoor Museum", "opened in", "1928", "m2"),
)
YEARS: Mapping[str, EntityType] = MappingProxyType({"1931": "DATE", "1928": "DATE"})
ATOMS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        CHAIN[0].text: ("Which club does Mira Tolland play for?", "Ostby Rovers"),
        CHAIN[1].text: ("Which company owns Ostby Rovers?", "Halden Shipping"),
        CHAIN[2].text: ("Who founded Halden Shipping?", "Greta Lindqvist"),
        MUSEUMS[0].text: ("When did Tarn Museum open?", "1931"),
        MUSEUMS[1].text: ("When did Brinmoor Museum open?", "1928"),
    }
)
"""The question that each sentence answers."""

OWNER = "Which company owns the club that Mira Tolland plays for?"
FOUNDER = "Who founded the company that owns the club that Mira Tolland plays for?"
OLDER = "Which opened first, Tarn Museum or Brinmoor Museum?"
SHORT_FOUNDER = "Who founded the company that owns Ostby Rovers?"
JOINED: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("Which club does Mira Tolland play for?", "Which company owns Ostby Rovers?"): OWNER,
        ("Which company owns Ostby Rovers?", "Who founded Halden Shipping?"): SHORT_FOUNDER,
        (OWNER, "Who founded Halden Shipping?"): FOUNDER,
        ("When did Tarn Museum open?", "When did Brinmoor Museum open?"): OLDER,
        ("When did Brinmoor Museum open?", "When did Tarn Museum open?"): OLDER,
    }
)
"""What two questions become when they are joined."""

TAKES: Mapping[str, tuple[tuple[Said, ...], str]] = MappingProxyType(
    {
        OWNER: (CHAIN[:2], "Halden Shipping"),
        SHORT_FOUNDER: (CHAIN[1:], "Greta Lindqvist"),
        FOUNDER: (CHAIN, "Greta Lindqvist"),
        OLDER: (MUSEUMS, "Brinmoor Museum"),
    }
)
"""The sentences that a joined question takes, and its answer."""

UNKNOWN = "Insufficient information"
_TASKS: Mapping[str, str] = MappingProxyType(
    {
        "atoms": "You write short questions for a quiz",
        "sequential": "You put two questions together",
        "parallel": "You make one question out of two",
        "audit sequential": "You check questions that were put together from two",
        "audit parallel": "You check questions that were made from two",
        "alone": "You check questions for a quiz",
        "memory": "You answer questions from memory",
        "evidence": "You answer questions from passages",
        "same": "You compare an answer with the right answer",
        "mend": "You mend the wording of a question",
        "cut": "You cut answers down",
        "forms": "You list how else people write an answer",
    }
)


def task(asked: Asked) -> str:
    """Which of the prompts a request is made from."""
    return next(name for name, beginning in _TASKS.items() if asked.system.startswith(beginning))


def author(asked: Asked) -> Answer:  # noqa: PLR0911 - a table
    """Finds everything good, and answers from what it is shown."""
    name, shown = task(asked), fences(asked)
    match name:
        case "atoms":
            return {"questions": [written(text) for text in ATOMS if text in shown["passage"]]}
        case "sequential" | "parallel":
            first, second = (
                shown[label].splitlines()[0].removeprefix("Question: ")
                for label in ("first question", "second question")
            )
            joined = {"outcome": "question", "question": JOINED[first, second], "reason": ""}
            return joined | ({"answer": "Brinmoor Museum"} if name == "parallel" else {})
        case "audit sequential" | "audit parallel":
            return {"verdict": "sound", "reason": ""}
        case "alone":
            return {"verdict": "clear", "reason": ""}
        case "memory":
            return {"answer": UNKNOWN} | ({"sides": []} if "sides" in str(asked.schema) else {})
        case "evidence":
            return {"answer": _found(shown["question"], passages(asked))}
        case "same":
            return {"same": False, "reason": "another name"}
        case "mend":
            return {"question": OWNER}
        case "cut":
            return {"answer": shown["answer"].split(",")[0]}
        case _:
            return {"forms": []}


def written(text: str) -> dict[str, str]:
    """The question of a sentence as the schema has it."""
    question, answer = ATOMS[text]
    return {"question": question, "answer": answer, "sentence": text}


def passages(asked: Asked) -> str:
    """All passages of a request."""
    return "\n".join(text for label, text in fences(asked).items() if label.startswith("passage"))


def _found(question: str, shown: str) -> str:
    alone = {asked: ((text,), answer) for text, (asked, answer) in ATOMS.items()}
    joined = {asked: (tuple(said.text for said in facts), answer) for asked, (facts, answer) in TAKES.items()}
    wanted, answer = (alone | joined)[question]
    return answer if all(text in shown for text in wanted) else UNKNOWN


def instead(**answers: Answer) -> Callable[[Asked], Answer]:
    """As the author, but for some tasks, whose blanks are underscores."""
    return lambda asked: answers.get(task(asked).replace(" ", "_")) or author(asked)


@dataclass(frozen=True, slots=True)
class Composing:
    """The parts with the endpoint behind them."""

    world: World
    parts: Parts
    endpoint: Endpoint

    def made(self, *facts: Said) -> list[Atom | Refused]:
        """What the atom maker makes of the chunks of some facts."""
        return list(self.parts.atom_maker.atoms([self.world.id(fact.chunk) for fact in facts]))

    def atoms(self, *facts: Said) -> list[Atom]:
        """The atoms of some facts, in their order."""
        made = {one.chunk: one for one in self.made(*facts) if isinstance(one, Atom)}
        return [made[self.world.id(fact.chunk)] for fact in facts]

    def joined(self, *facts: Said, topology: Topology = "inference") -> Composed:
        """The question along some facts, joined step by step without any filter."""
        first, *others = self.atoms(*facts)
        question = started(first)
        for atom in others:
            (longer,) = self.parts.joiner.join([Candidate(question, atom, topology)])
            assert isinstance(longer, Composed), longer
            question = longer
        return question

    def checks(self, question: Composed) -> list[Check]:
        """The filters that a question goes through, up to the first that rejects it."""
        said: list[Check] = []
        for one in self.parts.filters:
            said += one.check([question])
            if not said[-1].passed:
                break
        return said

    def atom_checks(self, atom: Atom) -> list[Check]:
        """The filters that an atom goes through, up to the first that rejects it."""
        said: list[Check] = []
        for one in self.parts.atom_filters:
            said += one.check([atom])
            if not said[-1].passed:
                break
        return said

    @property
    def asked(self) -> list[str]:
        """The tasks that were asked so far."""
        return [task(request) for request in self.endpoint.requests]


def started(atom: Atom) -> Composed:
    """An atom as a question of one hop."""
    return Composed((Hop(1, atom, None, atom.question, atom.answer, atom.accepted),), atom.generator)


@contextmanager
def composing(
    world: World,
    home: Path,
    responder: Callable[[Asked], Answer] = author,
    faults: tuple[Fault, ...] = (),
    **changes: object,
) -> Iterator[Composing]:
    """The parts by a scripted model in all three roles."""
    with scripted_endpoint(responder, faults) as endpoint:
        settings = endpoint.settings(home, **changes)
        with open_model("generate", settings, sleep=lambda _: None) as model:
            yield Composing(world, _parts(world, model), endpoint)


def _parts(world: World, model: Model) -> Parts:
    return model_parts(world.graph, world.corpus, model, model, model)
