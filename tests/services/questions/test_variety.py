"""No fact, entity or article carries more of a depth than its share."""

from itertools import pairwise

from services.questions.draft import Draft, Fact, Stop
from services.questions.variety import VARIETY, Variety


def chain(*names: str, article: str = "a1") -> Draft:
    """A chain through these names; each hop says "leads to"."""
    stops = tuple(Stop(name.lower(), name, "PERSON") for name in names)
    facts = tuple(
        Fact(at, f"c{at}", f"t{at}", left, "leads to", right, article, f"{left} leads to {right}.")
        for at, (left, right) in enumerate(pairwise(names), start=1)
    )
    return Draft("chain", "Who?", names[-1], (names[-1],), "PERSON", "test", stops, facts)


def kept(variety: Variety, drafts: list[Draft]) -> list[bool]:
    """Whether each is kept, where each that is kept counts for those behind it."""
    passed = []
    for draft in drafts:
        check = variety.check(draft)
        assert check.filter == VARIETY
        assert bool(check.reason) != check.passed
        if check.passed:
            variety.add(draft)
        passed.append(check.passed)
    return passed


def test_a_twentieth_of_a_depth_rests_on_one_fact() -> None:
    drafts = [chain("Ana", f"Bo {at}", "Cy", article=f"a{at}") for at in range(3)]
    same_end = [chain(f"Al {at}", "Bo", "Cy", article=f"a{at}") for at in range(12)]
    assert kept(Variety(200), drafts + same_end) == [True] * 3 + [True] * 10 + [False] * 2
    assert kept(Variety(20), same_end).count(True) == 3


def test_a_tenth_of_a_depth_goes_through_one_entity() -> None:
    drafts = [chain(f"Al {at}", "Bo", f"Cy {at}", article=f"a{at}") for at in range(30)]
    assert kept(Variety(200), drafts).count(True) == 20


def test_a_fifth_of_a_depth_rests_on_one_article() -> None:
    drafts = [chain(f"Al {at}", f"Bo {at}", f"Cy {at}") for at in range(60)]
    assert kept(Variety(200), drafts).count(True) == 40
    assert kept(Variety(5), drafts).count(True) == 20


def test_chains_that_differ_only_in_where_they_start_are_one() -> None:
    assert kept(Variety(200), [chain("Al", "Bo", "Cy", "Di"), chain("Ed", "Bo", "Cy", "Di")]) == [True, False]


def test_depths_are_counted_apart() -> None:
    variety = Variety(20)
    assert kept(variety, [chain(f"Al {at}", "Bo", "Cy") for at in range(4)]) == [True] * 3 + [False]
    assert kept(variety, [chain("Al", "Bo", "Cy", "Di")]) == [True]
