"""Bridge entities that only their description names, and topics that two articles share."""

from kg.model import EntityType
from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.kinds.bridge_entity import bridge_entities
from services.questions.kinds.bridge_topic import bridge_topics
from tests.examples import read_examples
from tests.graph_reading import change
from tests.services.questions.kinds.told_world import Told, World, chunk_id, tell

ARTICLES: dict[str, tuple[str, str]] = read_examples("services/questions/kinds/bridges")["articles"]
TYPES: dict[str, EntityType] = {"Greta Lindqvist": "PERSON", "Karl Moor": "PERSON", "Ostby": "GPE"}


def entities(graph: Graph, corpus: str, *facts: Told) -> list[Draft]:
    tell(graph, corpus, World(ARTICLES, facts, types=TYPES))
    return list(bridge_entities(graph, corpus, 40, seed=0))


def test_an_entity_is_asked_for_by_what_two_articles_say(graph: Graph, corpus: str) -> None:
    drafts = entities(
        graph,
        corpus,
        Told("0", "Halden Shipping", "is headquartered in", "Ostby"),
        Told("1", "Greta Lindqvist", "founded", "Halden Shipping"),
        Told("2", "Brask Foundry", "is headquartered in", "Ostby"),
        Told("3", "Greta Lindqvist", "founded", "Tolland Bank"),
    )
    draft = next(draft for draft in drafts if draft.answer == "Halden Shipping")
    assert draft.answer_type == "ORG"
    assert "Halden" not in draft.text
    for part in ("Ostby", "Greta Lindqvist", "Ostby Post", "Norholm Courier"):
        assert part in draft.text
    assert draft.text.count("?") == 1
    assert {*draft.sources} == {"Ostby Post", "Norholm Courier"}
    assert {*draft.chunks} == {chunk_id(corpus, "0"), chunk_id(corpus, "1")}
    assert draft.answered_by == draft.stops[0].id
    assert [(fact.index, fact.link) for fact in draft.facts] == [(1, "start"), (2, "shared")]


def test_a_source_that_all_articles_have_is_not_named(graph: Graph, corpus: str) -> None:
    facts = (
        Told("0", "Halden Shipping", "is headquartered in", "Ostby"),
        Told("1", "Greta Lindqvist", "founded", "Halden Shipping"),
    )
    for sources in (("Ostby Post", "Ostby Post"), ("Ostby Post", ""), ("Ostby Post", "Verrin Review")):
        articles = {str(at): (source, "2031-01-04") for at, source in enumerate(sources)}
        tell(graph, corpus, World(articles, facts, types=TYPES))
        (draft,) = bridge_entities(graph, corpus, 40, seed=0)
        several = "Verrin Review" in sources
        assert draft.sources == (sources if several else ())
        assert draft.text.count("according to") == 2 * several
        assert draft.text.endswith("?")
        change(graph, "MATCH (n {corpus: $corpus}) DETACH DELETE n", corpus=corpus)


def test_a_source_that_says_all_is_named_once(graph: Graph, corpus: str) -> None:
    articles = {str(at): (source, "2031-01-04") for at, source in enumerate(("Post", "Post", "Review"))}
    facts = (
        Told("0", "Halden Shipping", "is headquartered in", "Ostby"),
        Told("1", "Greta Lindqvist", "founded", "Halden Shipping"),
        Told("2", "Greta Lindqvist", "lives in", "Ostby"),
    )
    tell(graph, corpus, World(articles, facts, types=TYPES))
    texts = [
        draft.text
        for draft in bridge_entities(graph, corpus, 40, seed=0)
        if draft.answer == "Halden Shipping"
    ]
    assert len(texts) == 1
    assert texts[0].endswith(", according to Post?")
    assert texts[0].count("according to") == 1


def test_what_two_entities_fit_asks_for_neither(graph: Graph, corpus: str) -> None:
    drafts = entities(
        graph,
        corpus,
        *(
            fact
            for firm in ("Halden Shipping", "Brask Foundry")
            for fact in (
                Told("0", firm, "is headquartered in", "Ostby"),
                Told("1", "Greta Lindqvist", "founded", firm),
            )
        ),
    )
    assert all(draft.answer not in {"Halden Shipping", "Brask Foundry"} for draft in drafts)


def test_a_tense_makes_no_difference_to_who_fits(graph: Graph, corpus: str) -> None:
    drafts = entities(
        graph,
        corpus,
        Told("0", "Halden Shipping", "is headquartered in", "Ostby"),
        Told("1", "Greta Lindqvist", "founded", "Halden Shipping"),
        Told("2", "Brask Foundry", "was headquartered in", "Ostby"),
        Told("3", "Greta Lindqvist", "has founded", "Brask Foundry"),
    )
    assert all(draft.answer not in {"Halden Shipping", "Brask Foundry"} for draft in drafts)


def test_facts_of_one_article_make_no_bridge(graph: Graph, corpus: str) -> None:
    drafts = entities(
        graph,
        corpus,
        Told("0", "Halden Shipping", "is headquartered in", "Ostby"),
        Told("0", "Karl Moor", "founded", "Halden Shipping"),
    )
    assert drafts == []


def test_a_topic_of_two_articles_is_asked_for_and_about(graph: Graph, corpus: str) -> None:
    facts = (
        Told("0", "Halden Shipping", "acquired", "Corrin Medal"),
        Told("1", "Karl Moor", "won", "Corrin Medal"),
        Told("1", "Karl Moor", "designed", "Stone Prize"),
        Told("2", "Karl Moor", "leads", "Brask Foundry"),
        Told("3", "Greta Lindqvist", "funds", "Stone Prize"),
    )
    tell(graph, corpus, World(ARTICLES, facts, types=TYPES))
    drafts = list(bridge_topics(graph, corpus, 40, seed=0))
    titles = {key: f'"News {key}" in {source}' for key, (source, _) in ARTICLES.items()}
    told = {
        name: {fact.article for fact in facts if name in fact.sentence}
        for name in ("Corrin Medal", "Karl Moor", "Stone Prize")
    }
    shared = [draft for draft in drafts if draft.answer_type != "YES_NO"]
    assert shared
    for draft in shared:
        cited = {key for key, title in titles.items() if title in draft.text}
        assert len(cited) == 2
        assert cited <= told[draft.answer]
        assert draft.answer not in draft.text
        assert {*draft.chunks} == {chunk_id(corpus, key) for key in cited}
    for draft in drafts:
        if draft.answer_type == "YES_NO":
            named = [key for key, title in titles.items() if title in draft.text]
            tells = [
                any(draft.stops[0].name in fact.sentence for fact in facts if fact.article == key)
                for key in named
            ]
            assert draft.answer == ("Yes" if all(tells) else "No")
    answers = [draft.answer for draft in drafts if draft.answer_type == "YES_NO"]
    assert answers.count("Yes") == answers.count("No") > 0


def test_a_title_that_names_the_topic_gives_it_away(graph: Graph, corpus: str) -> None:
    facts = (
        Told("0", "Halden Shipping", "acquired", "Corrin Medal"),
        Told("1", "Karl Moor", "won", "Corrin Medal"),
    )
    tell(graph, corpus, World(ARTICLES, facts, types=TYPES, titles={"0": "A medal for Ostby"}))
    assert list(bridge_topics(graph, corpus, 40, seed=0)) == []


def test_two_topics_of_one_type_leave_none_to_ask_for(graph: Graph, corpus: str) -> None:
    facts = (
        Told("0", "Halden Shipping", "acquired", "Corrin Medal"),
        Told("0", "Halden Shipping", "acquired", "Stone Prize"),
        Told("1", "Karl Moor", "won", "Corrin Medal"),
        Told("1", "Karl Moor", "won", "Stone Prize"),
    )
    tell(graph, corpus, World(ARTICLES, facts, types=TYPES))
    assert [
        draft for draft in bridge_topics(graph, corpus, 40, seed=0) if draft.answer_type != "YES_NO"
    ] == []
