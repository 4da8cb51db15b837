"""Values of an address: what a form leaves empty stands for any."""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from fastapi import Depends, Path

from kg.errors import SettingsError
from services.page.addresses import name_of

T = TypeVar("T", bound=str)
MOST_CHARACTERS = 500


def whole_number(text: str, name: str, low: int, high: int) -> int | None:
    """The number that the text is; None where it is empty.

    Raises:
        SettingsError: it is none, or out of its bounds.
    """
    if not text.strip():
        return None
    if text.strip().isascii() and text.strip().isdigit() and low <= int(text[:9]) <= high:
        return int(text)
    raise SettingsError(f"{name}={text[:40]!r} can't be used.", f"Give a number from {low} to {high}.")


def one_of(text: str, name: str, choices: Sequence[T]) -> T:
    """The choice that the text is.

    Raises:
        SettingsError: it is none of them.
    """
    for choice in choices:
        if text == choice:
            return choice
    listed = ", ".join(choice or "(empty)" for choice in choices)
    raise SettingsError(f"{name}={text[:40]!r} can't be used.", f"Give one of: {listed}.")


def short_text(text: str, name: str) -> str:
    """The text without blanks around it.

    Raises:
        SettingsError: it is too long to be meant.
    """
    if len(text) > MOST_CHARACTERS:
        raise SettingsError(f"{name} is too long.", f"Give at most {MOST_CHARACTERS} characters.")
    return text.strip()


async def _corpus(corpus: Annotated[str, Path()]) -> str:
    return name_of(corpus)


async def _id(id: Annotated[str, Path()]) -> str:  # noqa: A002  the name in the address
    return name_of(id)


CorpusName = Annotated[str, Depends(_corpus)]
"""The corpus that an address names."""
Id = Annotated[str, Depends(_id)]
"""The id that an address ends with."""
