"""What a gold item gives, read with types: the nouns that prompts share, and a model that only listens.

Passages are `{title, source, date, text}`; what is left out of them is empty.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date

from kg.errors import InputError
from kg.llm.protocol import Estimate, Failure, JsonValue, ModelOutcome, ModelRequest
from services.rag.protocol import Passage


@dataclass(frozen=True, slots=True)
class ItemInputs:
    """The inputs of a gold item by their names.

    Raises InputError where an input is missing or is not what it should be.
    """

    values: Mapping[str, JsonValue]

    def text(self, name: str, default: str | None = None) -> str:
        """A text; a number is taken as it is written."""
        value = self.values.get(name, default)
        if value is None or isinstance(value, list | Mapping | bool):
            raise InputError(f"the input {name!r} of a gold item must be a text.", _REMEDY)
        return str(value)

    def number(self, name: str, default: int) -> int:
        """A whole number."""
        value = self.values.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise InputError(f"the input {name!r} of a gold item must be a whole number.", _REMEDY)
        return value

    def truth(self, name: str) -> bool | None:
        """True, false, or None where it is left out."""
        value = self.values.get(name)
        return value if isinstance(value, bool) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, empty where it is left out."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or any(isinstance(one, list | Mapping) for one in value):
            raise InputError(f"the input {name!r} of a gold item must be a list of texts.", _REMEDY)
        return tuple(map(str, value))

    def entries(self, name: str) -> tuple["ItemInputs", ...]:
        """A list of inputs with names of their own, empty where it is left out."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
            raise InputError(
                f"the input {name!r} of a gold item must be a list of names with values.", _REMEDY
            )
        return tuple(ItemInputs(one) for one in value if isinstance(one, Mapping))

    def inner(self, name: str) -> "ItemInputs":
        """Inputs with names of their own."""
        value = self.values.get(name)
        if not isinstance(value, Mapping):
            raise InputError(f"the input {name!r} of a gold item must be names with values.", _REMEDY)
        return ItemInputs(value)

    def numbered(self, name: str) -> dict[int, str]:
        """Texts by number."""
        value = self.values.get(name, {})
        if not isinstance(value, Mapping):
            raise InputError(f"the input {name!r} of a gold item must be numbers with texts.", _REMEDY)
        return {int(number): str(text) for number, text in value.items()}

    def day(self, name: str) -> date | None:
        """A day as 2031-01-09, None where it is left out."""
        text = self.text(name, "")
        return date.fromisoformat(text) if text else None

    def has(self, name: str) -> bool:
        """Whether this input is there."""
        return name in self.values


_REMEDY = "See seed/prompts/README.md and the other items of the file."


def passages_given(given: ItemInputs, name: str = "passages") -> tuple[Passage, ...]:
    """Passages as systems read them; their chunks are called p1, p2 and so on."""
    return tuple(
        Passage(
            chunk=f"p{number}",
            text=one.text("text"),
            title=one.text("title", ""),
            source=one.text("source", ""),
            published=one.text("date", ""),
        )
        for number, one in enumerate(given.entries(name), start=1)
    )


@dataclass(slots=True)
class Listener:
    """A model that answers nothing and keeps what it was asked: it shows what the product's own code asks."""

    requests: list[ModelRequest] = field(default_factory=list)
    name: str = "gold"

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[ModelOutcome]:
        """A failure for each request, which is kept."""
        for request in requests:
            self.requests.append(request)
            yield Failure("empty", "nobody was asked")

    def estimate(self, requests: Iterable[ModelRequest]) -> Estimate:
        """Nothing costs anything."""
        return Estimate(len(list(requests)), 0, 0, 0, None)

    def the_request(self) -> ModelRequest:
        """The one request that was made.

        Raises:
            InputError: none was made, or several.
        """
        if len(self.requests) != 1:
            raise InputError(
                f"the inputs of a gold item led to {len(self.requests)} requests, and one is wanted.", _REMEDY
            )
        return self.requests[0]
