"""No fact, entity or article carries more of a depth than its share."""

from collections import deque
from dataclasses import replace
from itertools import pairwise

from services.questions.draft import Check, Draft, Fact, Made, QuestionKind, Stop
from services.questions.variety import VARIETY, Variety
from services.questions.waves import Stock


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


def others(number: int) -> list[Draft]:
    """Chains that share nothing with one another."""
    return [chain(f"Ana {at}", f"Eve {at}", f"Ida {at}", article=f"b{at}") for at in range(number)]


def test_a_twentieth_of_a_depth_rests_on_one_fact() -> None:
    same_end = [chain(f"Al {at}", "Bo", "Cy", article=f"a{at}") for at in range(12)]
    assert kept(Variety(200), others(50) + same_end) == [True] * 60 + [False] * 2
    assert kept(Variety(20), same_end).count(True) == 3


def test_a_tenth_of_a_depth_goes_through_one_entity() -> None:
    drafts = [chain(f"Al {at}", "Bo", f"Cy {at}", article=f"a{at}") for at in range(30)]
    assert kept(Variety(200), others(60) + drafts).count(True) == 60 + 20


def test_a_small_set_is_not_carried_by_one_fact_either() -> None:
    same_end = [chain(f"Al {at}", "Bo", "Cy", article=f"a{at}") for at in range(12)]
    assert kept(Variety(200), same_end).count(True) == 3
    assert kept(Variety(200), others(17) + same_end).count(True) == 17 + 5
    same_middle = [chain(f"Al {at}", "Bo", f"Cy {at}", article=f"a{at}") for at in range(12)]
    assert kept(Variety(200), others(12) + same_middle).count(True) == 12 + 6


def test_a_fifth_of_a_depth_rests_on_one_article() -> None:
    drafts = [chain(f"Al {at}", f"Bo {at}", f"Cy {at}") for at in range(60)]
    assert kept(Variety(200), others(80) + drafts).count(True) == 80 + 40
    assert kept(Variety(5), drafts).count(True) == 20


def test_chains_that_differ_only_in_where_they_start_are_one() -> None:
    assert kept(Variety(200), [chain("Al", "Bo", "Cy", "Di"), chain("Ed", "Bo", "Cy", "Di")]) == [True, False]


def test_chains_of_the_same_facts_from_either_end_are_one() -> None:
    there = chain("Al", "Bo", "Cy")
    back = replace(there, stops=there.stops[::-1], facts=tuple(_reversed(fact) for fact in there.facts[::-1]))
    assert kept(Variety(200), [there, back, chain("Al", "Bo", "Di")]) == [True, False, True]
    longer = chain("Al", "Bo", "Cy", "Di")
    round_ = replace(longer, facts=tuple(_reversed(fact) for fact in longer.facts[::-1]))
    assert kept(Variety(200), [round_, longer]) == [True, False]
    one = chain("Al", "Bo")
    assert kept(Variety(200), [one, replace(one, text="And who?")]) == [True, True]


def _reversed(fact: Fact) -> Fact:
    return replace(fact, reversed=True)


def test_depths_are_counted_apart() -> None:
    variety = Variety(20)
    assert kept(variety, [chain(f"Al {at}", "Bo", "Cy") for at in range(4)]) == [True] * 3 + [False]
    assert kept(variety, [chain("Al", "Bo", "Cy", "Di")]) == [True]


def test_a_fact_at_which_three_questions_fell_is_given_up_unless_one_rests_on_it() -> None:
    variety = Variety(20)
    drafts = [chain(f"Al {at}", "Bo", "Cy", article=f"a{at}") for at in range(5)]
    for draft in drafts[:3]:
        assert not variety.is_given_up(drafts[4])
        variety.add_fallen(Made(draft, (Check("writer", passed=False, reason="fact 2 says nothing", hop=2),)))
        assert not variety.promises(drafts[4])
    assert variety.is_given_up(drafts[4])
    assert not variety.is_given_up(chain("Al 4", "Bo", "Di"))
    variety.add(drafts[3])
    assert not variety.is_given_up(drafts[4])


def of_kind(kind: QuestionKind, about: str, *facts: str) -> Draft:
    """A question of another kind than chains about one thing; each fact is one of an article of its name."""
    stop = Stop(about, about, "ORG")
    told = tuple(
        Fact(at, f"c-{one}", f"t-{one}", about, "bought", one, f"a-{one}", f"{about} bought {one}.")
        for at, one in enumerate(facts, 1)
    )
    return Draft(kind, "Which?", about, (about,), "ORG", "test", (stop,), told)


def test_no_fact_entity_or_article_fills_another_kind() -> None:
    others = [of_kind("comparison", f"Firm {at}", f"Mill {at}", f"Yard {at}") for at in range(100)]
    same_fact = [of_kind("comparison", "Firm", "Mill", f"Pier {at}") for at in range(12)]
    assert kept(Variety(100), others + same_fact).count(True) == 100 + 5
    assert kept(Variety(100), same_fact).count(True) == 3
    same_entity = [of_kind("temporal", "Firm", f"Pier {at}", f"Quay {at}") for at in range(24)]
    assert kept(Variety(100), same_entity).count(True) == 5
    one_article = [of_kind("null", f"Firm {at}", "Mill") for at in range(50)]
    assert kept(Variety(100), one_article).count(True) == 20
    variety = Variety(100)
    assert kept(variety, same_fact).count(True) == 3
    assert kept(variety, same_entity).count(True) == 5, "kinds are counted apart"


def test_descriptions_of_an_entity_that_differ_in_one_fact_are_one() -> None:
    described = [
        of_kind("bridge entity", about, *facts.split())
        for about, facts in (
            ("Firm", "Mill Yard"),
            ("Firm", "Yard Pier"),
            ("Firm", "Pier Quay"),
            ("Firm", "Mill Yard Quay"),
            ("Bank", "Mill Yard"),
            ("Shop", "Mill Yard Pier"),
            ("Shop", "Pier Yard"),
            ("Shop", "Mill Yard Quay Dock"),
        )
    ]
    assert kept(Variety(100), described) == [True, False, True, False, True, True, False, True]


def joined(*articles: str, end: str = "Cy") -> Draft:
    """A chain of two hops whose facts are of these articles."""
    draft = chain("Al", "Bo", end)
    facts = (replace(fact, article=article) for fact, article in zip(draft.facts, articles, strict=True))
    return replace(draft, facts=tuple(facts))


def test_a_name_that_means_two_things_joins_these_articles_no_more() -> None:
    """After three false pairs of articles it joins none, but those with which a question is kept."""
    variety = Variety(20)
    apart = Check("writer", passed=False, reason="names differ", hop=2, at_join=True)
    variety.add_fallen(Made(joined("a1", "a2"), (apart,)))
    assert variety.is_given_up(joined("a2", "a1"))
    assert not variety.is_given_up(joined("a1", "a3"))
    for other in ("a3", "a4"):
        variety.add_fallen(Made(joined("a1", other), (apart,)))
    variety.add(joined("a5", "a6"))
    assert [variety.is_given_up(joined(*pair)) for pair in (("a2", "a3"), ("a5", "a6"))] == [True, False]


def test_a_wave_stakes_two_paths_on_a_fact_and_one_on_a_join_until_a_question_rests_on_them() -> None:
    variety = Variety(20)
    same_fact = [joined("a", f"b{at}", end=f"Cy {at}") for at in range(4)]
    same_join = [chain(f"Al {at}", "Ed", "Di") for at in range(2)]
    staked = [variety.stake(draft) for draft in same_fact + same_join]
    assert staked == [True, True, False, False, True, False]
    variety.begin_wave()
    assert variety.stake(same_fact[2])
    variety.add(same_fact[0])
    assert [variety.stake(draft) for draft in same_fact[1:]] == [True, False, False]


def test_a_wave_stakes_no_more_on_a_fact_an_entity_or_an_end_than_may_still_be_kept() -> None:
    """One question rests on the facts and the end, so that two more may; only one may have the same tail."""
    variety = Variety(20)
    same_fact = [joined("a", f"b{at}", end=f"Cy {at}") for at in range(4)]
    variety.add(same_fact[0])
    assert [variety.stake(draft) for draft in same_fact[1:]] == [True, True, False]
    same_tail = [chain(name, "Ed", "Flo", "Gus") for name in ("Hal", "Ivo")]
    variety.add(chain("Ed", "Flo", "Gus"))
    assert [variety.stake(draft) for draft in same_tail] == [True, False]
    variety.begin_wave()
    assert [variety.stake(draft) for draft in (*same_fact[3:], *same_tail[1:])] == [True, True]


def test_what_is_crowded_is_looked_at_last_and_once_for_each_number_of_kept_questions() -> None:
    stock = Stock(deque(["free"]), 3, 3, crowded=deque(["a", "b"]))
    assert stock.has_more(2)
    assert stock.crowded, "others come first"
    stock.ids.clear()
    assert stock.has_more(2)
    assert stock.crowded, "a larger draw comes first"
    stock.exhausted = True
    assert stock.has_more(2)
    assert stock.aside == deque(["a", "b"])
    stock.aside, stock.crowded = deque(), stock.aside
    assert not stock.has_more(2), "nothing has changed, so that making questions ends"
    assert stock.has_more(3)
