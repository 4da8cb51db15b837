"""Which surfaces an article makes names of one thing."""

import pytest

from tests.kg.extract.conftest import Read, facts_of


def names_by_surface(read: Read, body: str) -> dict[str, str]:
    return {mention.surface: mention.name for mention in read(body).mentions}


@pytest.mark.parametrize(
    ("body", "surface", "name"),
    [
        ("Peter Novak, known as Grandmaster Pix, lives in Rome.", "Grandmaster Pix", "Peter Novak"),
        ("Peter Novak, better known as Pixie Grand, lives in Rome.", "Pixie Grand", "Peter Novak"),
        ("Anna Keller, nicknamed the Iron Duchess, left Rome.", "Iron Duchess", "Anna Keller"),
        ("The Rockefeller Fund (Rocky Trust) is in Rome.", "Rocky Trust", "Rockefeller Fund"),
        ("The World Health Organization (WHO) met in Rome.", "WHO", "World Health Organization"),
        ("David and Louise Turpin live in Rome.", "David", "David Turpin"),
        ("Princess Anna of Wied left Rome.", "Princess Anna of Wied", "Princess Anna of Wied"),
    ],
)
def test_declared_aliases_are_one_name(read: Read, body: str, surface: str, name: str) -> None:
    assert names_by_surface(read, body).get(surface) == name


def test_facts_of_an_alias_are_facts_of_the_name(read: Read) -> None:
    body = "Peter Novak, known as Grandmaster Pix, lives in Rome. Grandmaster Pix visited Berlin."
    assert ("Peter Novak", "visited", "Berlin") in facts_of(read(body))


@pytest.mark.parametrize(
    ("body", "surface"),
    [
        ("The film starred Anna Keller (Clara Weber) in Rome.", "Clara Weber"),
        ("He moved to Barcelona (Spain) in May.", "Spain"),
        ("Clara Weber came. Anna Keller, known to Clara Weber, left.", "Clara Weber"),
    ],
)
def test_other_names_in_brackets_or_behind_known_are_not(read: Read, body: str, surface: str) -> None:
    assert names_by_surface(read, body).get(surface) == surface
