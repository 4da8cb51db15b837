"""Names of people: titles, middle names, short forms, surnames."""

from kg.model import EntityName, EntityType
from kg.resolve.exact import merge_exact
from kg.resolve.people import NAMESAKES, are_alike, person_words
from tests.examples import examples


def one_of(text: str, *articles: str, kind: EntityType = "PERSON", count: int = 1) -> EntityName:
    return EntityName(text, kind, frozenset(articles or ("a1",)), count)


def groups(*names: EntityName) -> list[set[str]]:
    """The groups of two names or more."""
    merges = merge_exact(names)
    found: dict[str, set[str]] = {}
    for name, canonical in merges.canonical.items():
        found.setdefault(canonical, set()).add(name)
    return [members for members in found.values() if len(members) > 1]


def test_titles_and_suffixes_are_no_words_of_a_name() -> None:
    assert person_words("prime minister ana brel jr") == ("ana", "brel")
    assert person_words("mayor") == ("mayor",)


@examples("one, other, alike")
def test_full_names_are_alike_if_given_name_and_surname_agree(one: str, other: str, alike: bool) -> None:
    assert are_alike(one, other) == alike


@examples("names, joined")
def test_who_is_one_person(names: list[tuple[str, ...]], joined: bool) -> None:
    texts = {text for text, *_ in names}
    assert groups(*(one_of(*one) for one in names)) == ([texts] if joined else [])


def test_the_only_bearer_whom_several_articles_name_in_full_needs_no_first_name() -> None:
    known, short = one_of("Ana Brel", "a1", "a2", "a3"), one_of("Brel", "a4")
    assert groups(known, short, one_of("Mayor Brel", "a5")) == [{"Ana Brel", "Brel", "Mayor Brel"}]
    (alias,) = merge_exact([known, short]).aliases
    assert (alias.score, "in any article" in alias.evidence) == (0.8, True)
    assert groups(one_of("Ana Brel", "a1", "a2"), short) == []
    assert groups(known, short, one_of("Otto Brel", "a9")) == []
    assert groups(known, one_of("Brel", "a4", kind="GPE")) == []


def test_middle_names_and_initials() -> None:
    assert groups(one_of("Ana Brel"), one_of("Ana Maria Brel")) == [{"Ana Brel", "Ana Maria Brel"}]
    works = one_of("Halden Works", "a1", "a2", kind="ORG")
    assert groups(works, one_of("Ana M. Brel", "a1"), one_of("Ana Maria Brel", "a2")) == [
        {"Ana M. Brel", "Ana Maria Brel"}
    ]


def test_a_middle_name_in_an_article_that_shares_nothing_is_a_namesakes() -> None:
    """A singer called Ana Brel, and a minister called Ana M. Brel in an article about her alone."""
    singer, minister = one_of("Ana Brel", "a1"), one_of("Ana M. Brel", "a2")
    place, first = one_of("Halden", "a1", "a2", kind="GPE"), one_of("Otto", "a1", "a2")
    merges = merge_exact([singer, minister, place, first])
    assert merges.canonical["Ana Brel"] != merges.canonical["Ana M. Brel"]
    assert [(split.names, split.reason) for split in merges.split] == [
        (("Ana Brel", "Ana M. Brel"), NAMESAKES)
    ]
    third = one_of("Otto Vell", "a1", "a2")
    assert {"Ana Brel", "Ana M. Brel"} in groups(singer, minister, place, third)


def test_the_whole_name_is_the_canonical_one() -> None:
    merges = merge_exact([one_of("Brel", count=9), one_of("Ana Brel", count=2)])
    assert merges.canonical["Brel"] == "Ana Brel"
