"""All kinds from one small graph: whole drafts, the same ones each time, the kinds that were asked for.

What can be said of two dates that may be partly known.
Which drafts are taken: even groups, capped entities and themes, the best first.
Which words could tell a relation, and queries for them that nothing in a name can break.
"""

import re
from collections import Counter
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from kg.progress import Silent
from kg.store.graph import Graph
from services.answers import INSUFFICIENT
from services.questions.choice import QuestionChoice
from services.questions.draft import Draft, Stop
from services.questions.kinds.askable import (
    phrase,
    relation_words,
    same_relation,
    words_pattern,
    words_query,
)
from services.questions.kinds.event_order import date_span, dates_agree
from services.questions.kinds.make import draft_kinds
from services.questions.kinds.spread import SHARE_OF_A_THEME, SHARE_OF_AN_ENTITY, Candidate, spread
from tests.examples import examples, read_examples
from tests.graph_reading import read
from tests.services.questions.kinds.told_world import Told, World, draw_path, tell

ARTICLES: dict[str, tuple[str, str]] = read_examples("services/questions/kinds/make")["articles"]
PATH = (
    Told("0", "Mira Brel", "taught", "Otto Pelham"),
    Told("1", "Otto Pelham", "founded", "Halden Shipping"),
)
FACTS = (
    *PATH,
    Told("2", "Ana Tolland", "founded", "Brask Foundry"),
    Told("3", "Ana Tolland", "is married to", "Karl Moor"),
    Told("1", "Greta Lindqvist", "founded", "Corvane Bank"),
    Told("2", "Greta Lindqvist", "is married to", "Ida Venning"),
    Told("0", "Halden Shipping", "was founded in", "1904"),
    Told("3", "Brask Foundry", "was founded in", "1911"),
    Told("2", "Corvane Bank", "was founded in", "1911"),
    Told("3", "Halden Shipping", "acquired", "Brask Foundry"),
    Told("0", "Halden Shipping", "is headquartered in", "Ostby"),
    Told("1", "Corvane Bank", "is headquartered in", "Ostby"),
    Told("2", "Brask Foundry", "is headquartered in", "Kaldmere"),
)
TYPES: dict[str, EntityType] = read_examples("services/questions/kinds/make")["types"]


@pytest.fixture
def drafts(graph: Graph, corpus: str) -> list[Draft]:
    tell(graph, corpus, World(ARTICLES, FACTS, types=TYPES))
    draw_path(graph, corpus, PATH)
    return list(draft_kinds(graph, corpus, QuestionChoice().other_kinds, 20, 0, Silent()))


def test_every_kind_comes_whole_and_in_its_turn(graph: Graph, corpus: str, drafts: list[Draft]) -> None:
    kinds = [draft.kind for draft in drafts]
    assert [*dict.fromkeys(kinds)] == list(QuestionChoice().other_kinds)
    for draft in drafts:
        assert draft.text.endswith("?")
        assert draft.answer in draft.accepted
        assert (draft.answer == INSUFFICIENT) == (draft.kind == "null") == bool(draft.absent)
        assert all(fact.chunks for fact in draft.facts)
        assert [fact.index for fact in draft.facts] == list(range(1, len(draft.facts) + 1))
        assert len(draft.facts) >= 2 or draft.kind == "null"
        assert all(source in draft.text for source in draft.sources)
        assert not any(name in draft.text for name in draft.hidden)
    again = list(draft_kinds(graph, corpus, QuestionChoice().other_kinds, 20, 0, Silent()))
    assert again == drafts
    only = list(draft_kinds(graph, corpus, ["null"], 20, 0, Silent()))
    assert only == [draft for draft in drafts if draft.kind == "null"]


def test_an_empty_corpus_has_no_questions(graph: Graph, corpus: str) -> None:
    assert list(draft_kinds(graph, corpus, QuestionChoice().other_kinds, 20, 0, Silent())) == []


@examples("name, first, last")
def test_a_date_means_these_days(name: str, first: date, last: date) -> None:
    span = date_span(name)
    assert span is not None
    assert (span.first, span.last) == (first, last)


@pytest.mark.parametrize("name", ["the 1990s", "03/04/2031", "Monday", "2031-13", "2031-02-30", "0000", ""])
def test_what_no_calendar_holds_has_no_days(name: str) -> None:
    assert date_span(name) is None


@examples("one, other, agree")
def test_dates_agree_only_where_that_can_be_told(one: str, other: str, agree: bool | None) -> None:
    assert dates_agree(one, other) is agree
    assert dates_agree(other, one) is agree


@given(st.dates(date(1000, 1, 1), date(9999, 12, 31)), st.dates(date(1000, 1, 1), date(9999, 12, 31)))
def test_a_day_is_never_before_or_after_its_own_month(one: date, other: date) -> None:
    day, month = date_span(one.isoformat()), date_span(other.isoformat()[:7])
    assert day is not None
    assert month is not None
    within = (one.year, one.month) == (other.year, other.month)
    assert (day.order(month) is None) == within
    assert within or (day.order(month) == "before") == (one < other)


def candidate(number: int, group: str, theme: str, entity: str, worth: float, twin: int) -> Candidate:
    draft = Draft(
        kind="comparison",
        text=f"Question {number}?",
        answer=group,
        accepted=(group,),
        answer_type="YES_NO",
        generator=theme,
        stops=(Stop(entity, entity, "ORG"),),
        facts=(),
    )
    return Candidate(draft, group, theme, worth, str(twin))


CANDIDATES = st.lists(
    st.tuples(
        st.sampled_from(["yes", "no", "other"]),
        st.sampled_from("abcd"),
        st.sampled_from("klmnopqrstuvwxyz"),
        st.integers(0, 3),
        st.integers(0, 60),
    ),
    max_size=80,
)


@given(CANDIDATES, st.integers(0, 40))
def test_groups_stay_even_and_nothing_fills_the_kind(
    rows: list[tuple[str, str, str, int, int]], limit: int
) -> None:
    candidates = [candidate(number, *row) for number, row in enumerate(rows)]
    drafts = list(spread(candidates, (("yes", "no"), ("other",)), limit))
    answers = Counter(draft.answer for draft in drafts)
    assert answers["yes"] == answers["no"]
    assert len(drafts) <= limit
    assert len({draft.text for draft in drafts}) == len(drafts)
    entities = Counter(draft.stops[0].id for draft in drafts)
    assert max(entities.values(), default=0) <= max(1, limit // SHARE_OF_AN_ENTITY)
    themes = Counter(draft.generator for draft in drafts)
    assert max(themes.values(), default=0) <= max(1, -(-limit // SHARE_OF_A_THEME))
    twins = Counter(one.chance for one in candidates if one.draft in drafts)
    assert max(twins.values(), default=0) <= 1


def test_the_best_come_first_whatever_their_order() -> None:
    candidates = [
        candidate(at, "other", str(at), str(at), worth, at) for at, worth in enumerate((1.0, 3.0, 2.0))
    ]
    texts = [draft.text for draft in spread(candidates, (("other",),), 10)]
    assert texts == ["Question 1?", "Question 2?", "Question 0?"]
    assert texts == [draft.text for draft in spread(candidates[::-1], (("other",),), 10)]


@examples("key, word")
def test_a_relation_is_told_by_these_words(key: str, word: str) -> None:
    assert word in relation_words(key)
    assert re.match(words_pattern(relation_words(key)), f"it said {word}, and\nno more")


def test_a_passive_tells_the_same_relation() -> None:
    assert same_relation("found", "be founded by")
    assert same_relation("be married to", "marry")
    assert not same_relation("found", "be born in")


def test_a_pattern_looks_for_whole_words() -> None:
    assert not re.match(words_pattern({"own"}), "the town is known")


@pytest.mark.parametrize("key", ["be in", "be 1986", ""])
def test_no_word_tells_a_relation_of_prepositions_and_numbers(key: str) -> None:
    assert not relation_words(key)


def test_there_is_no_query_for_what_no_word_tells() -> None:
    assert words_query(["Mira"], relation_words("be in")) == ""
    assert words_query(["!?", "..."], {"own"}) == ""


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=3))
def test_a_query_holds_no_signs_of_a_name(names: list[str]) -> None:
    made = words_query([*names, "Mira"], {"own"})
    inner = made.removeprefix("+(").removesuffix(") +(own)")
    assert all(re.fullmatch(r'(?:"[\w ]+"|\w+)', term) for term in inner.split(" OR "))
    assert re.fullmatch(r'"[\w ]*"', phrase(names[0]))


@pytest.mark.parametrize("name", ["O'Hara (Otto)", 'AT&T "Labs"', "C++ AND NOT", "a/b:c*?~^[]{}!", "\\"])
def test_the_server_takes_every_query(graph: Graph, name: str) -> None:
    text = "CALL db.index.fulltext.queryNodes('claim_text', $words) YIELD node RETURN count(node) AS found"
    read(graph, text, words=words_query([name, "Mira"], {"own"}))
