"""How triples join: worked examples, each a path as an article's reader would put it down."""

import pytest

from kg.paths.links import Joint, Link, links


def said(subject: str, other: str) -> Joint:
    return Joint(subject, other, mirrored=False)


def mirrored(subject: str, other: str) -> Joint:
    return Joint(subject, other, mirrored=True)


@pytest.mark.parametrize(
    ("joints", "expected"),
    [
        ([said("Mira Tolland", "Ostby Rovers")], ["start"]),
        ([said("Mira Tolland", "Ostby Rovers"), said("Ostby Rovers", "Halden")], ["start", "shared"]),
        ([said("Mira Tolland", "the Ostby Rovers"), said("Ostby Rovers", "Halden")], ["start", "shared"]),
        ([said("Halden", "Greta Lindqvist"), said("Dr. Greta Lindqvist", "Verrin")], ["start", "shared"]),
        ([said("Orla Venning", "Norholm Health Board"), said("NHB", "Otto Pelham")], ["start", "exact"]),
        ([said("Orla", "NHB"), said("NHB", "Otto"), said("Pelham", "1412")], ["start", "shared", "exact"]),
        ([said("Corrin Medal", "Orla Venning"), mirrored("Venning", "NHB")], ["start", "context"]),
        ([mirrored("Venning", "NHB"), said("Norholm", "Otto")], ["context", "context"]),
        ([said("a", "b"), mirrored("b", "c"), said("c", "d"), said("d", "e")],
         ["start", "context", "context", "shared"]),
        ([], []),
    ],
    ids=["alone", "same name", "an article", "a title", "an acronym", "the second joint", "to a mirror",
         "from a mirror", "only beside the mirror", "no path"],
)  # fmt: skip
def test_the_link_before_each_triple(joints: list[Joint], expected: list[Link]) -> None:
    assert links(joints) == expected
