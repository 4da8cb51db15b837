"""Orders of events and of reports, and whether sources agree: what is answered, and what can't be told."""

from collections import Counter

from kg.model import EntityType
from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.kinds.event_order import order_candidates
from services.questions.kinds.make import agreement_candidates, report_candidates, temporals
from tests.examples import read_examples
from tests.services.questions.kinds.told_world import Told, World, tell

ARTICLES: dict[str, tuple[str, str]] = read_examples("services/questions/kinds/temporal")["articles"]
DATES = ("1904", "1911", "1958", "2031-02", "13 February 2031", "6 March 2031", "2031-03-06", "the 1990s")
TYPES: dict[str, EntityType] = {
    **dict.fromkeys(DATES, "DATE"),
    "Mira Brel": "PERSON",
    "Otto Pelham": "PERSON",
}


def made(graph: Graph, corpus: str, *facts: Told, links: tuple[tuple[str, str], ...] = ()) -> list[Draft]:
    """All that could be asked, before even answers are drawn from it."""
    tell(graph, corpus, World(ARTICLES, facts, types=TYPES, links=links))
    candidates = [
        *order_candidates(graph, corpus, 0),
        *report_candidates(graph, corpus, 40, 0),
        *agreement_candidates(graph, corpus, 40, 0),
    ]
    return [one.draft for one in candidates]


def orders(drafts: list[Draft]) -> list[Draft]:
    return [draft for draft in drafts if not draft.sources]


def test_the_answer_follows_the_dates(graph: Graph, corpus: str) -> None:
    founded = {"Halden Shipping": "1904", "Brask Foundry": "1911", "Tolland Bank": "1958"}
    facts = [Told(str(at), firm, "was founded in", year) for at, (firm, year) in enumerate(founded.items())]
    drafts = orders(made(graph, corpus, *facts))
    assert {draft.answer_type for draft in drafts} == {"ORDER", "ORG"}
    for draft in drafts:
        years = [founded[stop.name] for stop in draft.stops]
        assert [fact.object for fact in draft.facts] == years
        assert not any(year in draft.text for year in years)
        if draft.answer_type == "ORDER":
            assert draft.answer == ("Before" if years[0] < years[1] else "After")
        else:
            assert founded[draft.answer] == min(years)
    drawn = temporals(graph, corpus, 40, seed=0)
    answers = Counter(draft.answer for draft in drawn if draft.answer_type == "ORDER")
    assert answers["Before"] == answers["After"] > 0


def test_a_month_is_not_set_against_a_day_within_it(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        Told("0", "The Lantern Eel", "was discovered in", "2031-02"),
        Told("1", "Nephrol", "was discovered on", "13 February 2031"),
    )
    assert drafts == []


def test_what_no_calendar_holds_has_no_order(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        Told("0", "Halden Shipping", "was founded in", "the 1990s"),
        Told("1", "Brask Foundry", "was founded in", "1904"),
    )
    assert drafts == []


def test_an_event_with_two_dates_has_no_place_in_an_order(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        Told("0", "Halden Shipping", "was founded in", "1904"),
        Told("1", "Halden Shipping", "was founded in", "1911", stated=False),
        Told("2", "Brask Foundry", "was founded in", "1958"),
    )
    assert orders(drafts) == []


def test_events_of_what_may_be_one_thing_are_not_ordered(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        Told("0", "Halden Shipping", "was founded in", "1904"),
        Told("1", "The Line", "was founded in", "1911"),
        links=(("Halden Shipping", "The Line"),),
    )
    assert drafts == []


def test_sources_that_give_one_date_agree_and_those_with_two_do_not(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        Told("0", "The Lantern Eel", "was discovered on", "6 March 2031"),
        Told("1", "The Lantern Eel", "was discovered on", "2031-03-06"),
        Told("0", "Halden Shipping", "was founded in", "1904"),
        Told("2", "Halden Shipping", "was founded in", "1911"),
        Told("1", "Brask Foundry", "was founded in", "2031-02"),
        Told("2", "Brask Foundry", "was founded on", "13 February 2031"),
    )
    said = {draft.stops[0].name: draft for draft in drafts if draft.answer_type == "YES_NO"}
    assert {name: draft.answer for name, draft in said.items()} == {
        "The Lantern Eel": "Yes",
        "Halden Shipping": "No",
    }
    assert {*said["Halden Shipping"].sources} == {"Ostby Post", "Verrin Review"}
    assert "1904" not in said["Halden Shipping"].text
    assert all(source in said["Halden Shipping"].text for source in said["Halden Shipping"].sources)


def test_two_sources_do_not_both_say_what_neither_says(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        Told("0", "Mira Brel", "leads", "Halden Shipping"),
        Told("1", "Mira Brel", "has led", "Halden Shipping"),
        Told("2", "Otto Pelham", "leads", "Brask Foundry"),
    )
    both = {draft.answer: draft for draft in drafts if draft.answer_type == "YES_NO"}
    assert "Halden Shipping" in both["Yes"].text
    assert "Brask Foundry" in both["No"].text
    assert "Mira Brel" in both["No"].text
    assert {*both["No"].sources} == {"Ostby Post", "Norholm Courier"}


def test_reports_are_ordered_by_the_days_of_their_articles(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        Told("0", "Mira Brel", "founded", "Halden Shipping"),
        Told("1", "Halden Shipping", "acquired", "Brask Foundry"),
        Told("0", "Otto Pelham", "designed", "Corrin Tower"),
        Told("2", "Corrin Tower", "won", "Stone Prize"),
    )
    days = dict(ARTICLES.values())
    reports = [draft for draft in drafts if draft.answer_type == "ORDER"]
    assert Counter(draft.answer for draft in reports) == {"Before": 2, "After": 2}
    for draft in reports:
        first, second = draft.sources
        assert draft.answer == ("Before" if days[first] < days[second] else "After")
        assert draft.text.index(first) < draft.text.index(second)


def test_reports_of_one_day_have_no_order(graph: Graph, corpus: str) -> None:
    drafts = made(
        graph,
        corpus,
        Told("2", "Mira Brel", "founded", "Halden Shipping"),
        Told("3", "Halden Shipping", "acquired", "Brask Foundry"),
        Told("2", "Otto Pelham", "designed", "Corrin Tower"),
        Told("3", "Corrin Tower", "won", "Stone Prize"),
    )
    assert drafts == []


def test_what_another_article_may_report_too_has_no_order(graph: Graph, corpus: str) -> None:
    facts = (
        Told("0", "Mira Brel", "founded", "Halden Shipping"),
        Told("1", "Halden Shipping", "acquired", "Brask Foundry"),
    )
    again = ("2", "Halden Shipping is the child of Mira Brel.", True, ("Mira Brel", "Halden Shipping"))
    tell(graph, corpus, World(ARTICLES, facts, types=TYPES, said=(again,)))
    assert list(report_candidates(graph, corpus, 40, 0)) == []
