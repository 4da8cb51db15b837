"""How triples join: worked examples, each a path as an article's reader would put it down."""

import pytest

from kg.paths.path_rows import Joint, Link, links


def said(subject: str, other: str) -> Joint:
    return Joint(subject, other)


def of_other(subject: str, other: str) -> Joint:
    """A fact said of the entity that context puts in its subject's place."""
    return Joint(subject, other, "subject")


def to_other(subject: str, other: str) -> Joint:
    """A fact with the entity that context puts in its object's place."""
    return Joint(subject, other, "object")


@pytest.mark.parametrize(
    ("joints", "expected"),
    [
        ([said("Mira Tolland", "Ostby Rovers")], ["start"]),
        ([said("Mira Tolland", "Ostby Rovers"), said("Ostby Rovers", "Halden")], ["start", "shared"]),
        ([said("Mira Tolland", "the Ostby Rovers"), said("Ostby Rovers", "Halden")], ["start", "shared"]),
        ([said("Halden", "Greta Lindqvist"), said("Dr. Greta Lindqvist", "Verrin")], ["start", "shared"]),
        ([said("Orla Venning", "Norholm Health Board"), said("NHB", "Otto Pelham")], ["start", "exact"]),
        ([said("Orla", "NHB"), said("NHB", "Otto"), said("Pelham", "1412")], ["start", "shared", "exact"]),
        ([said("Corrin Medal", "Orla Venning"), of_other("Venning", "NHB")], ["start", "context"]),
        ([said("Corrin Medal", "Orla Venning"), to_other("Orla Venning", "NHB")], ["start", "context"]),
        ([said("Corrin", "Norholm Health Board"), to_other("NHB", "Otto")], ["start", "exact"]),
        ([of_other("Venning", "Norholm Health Board"), said("NHB", "Otto")], ["context", "exact"]),
        ([to_other("Venning", "Norholm"), said("NHB", "Otto")], ["context", "context"]),
        ([to_other("a", "b"), of_other("x", "d")], ["context", "context"]),
        ([said("a", "b"), to_other("b", "c"), said("c", "d"), said("d", "e")],
         ["start", "context", "context", "shared"]),
        ([], []),
    ],
    ids=["alone", "same name", "an article", "a title", "an acronym", "the second joint",
         "by the mirrored end", "by the other end", "exact before the other end", "exact behind it",
         "from a mirrored end", "between mirrored ends", "only beside the mirror", "no path"],
)  # fmt: skip
def test_the_link_before_each_triple(joints: list[Joint], expected: list[Link]) -> None:
    assert links(joints) == expected
