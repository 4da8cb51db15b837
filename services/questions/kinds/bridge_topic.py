"""Bridge topic: articles of two sources on one topic, asked for what they share or whether they share it.

A topic is an entity, which claims of one cluster of the mixture tell of; rules can't make one of an abstract
phrase ("profit margins") that a question could be asked about.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from kg.model import EntityType
from kg.queries import query
from kg.resolve.name_pool import compatible
from kg.resolve.normal_form import FUNCTION_WORDS, normal_form
from kg.store.graph import Graph, Row
from services.questions.draft import Draft, Stop
from services.questions.kinds.known_facts import TOO_VAGUE, KnownFact, names_apart, noun_by_facts, read_facts
from services.questions.kinds.spread import Candidate, chance, spread
from services.questions.wording.articles import with_article
from services.questions.wording.chain import GENERATOR

MOST_TOPICS = 2_000
PAIRS_A_TOPIC = 3
ARTICLES_A_BATCH = 100
BUNDLES = (("shared",), ("both: yes", "both: no"))


@dataclass(frozen=True, slots=True)
class _Telling:
    """A fact on a topic in an article, with the likeliest cluster of its claim."""

    triple: str
    article: str
    cluster: str


@dataclass(frozen=True, slots=True)
class _Topic:
    entity: str
    names: tuple[str, ...]
    tellings: tuple[_Telling, ...]


@dataclass(frozen=True, slots=True)
class _Article:
    """An article as two can be compared: its words, and the types of the entities that its claims mention."""

    title: str
    source: str
    words: frozenset[str]
    entities: Mapping[str, EntityType]


def bridge_topics(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Draft]:
    """Up to `limit` questions for a topic or on it; those on a topic have as many "Yes" as "No"."""
    topics = _read_topics(graph, corpus, 4 * limit, seed)
    shared = [(topic, *pair) for topic in topics for pair in _pairs(topic, seed)]
    missing = list(_told_by_one(topics, seed))[: 4 * limit]
    used = [telling for _, one, other in (*shared, *missing) for telling in (one, other)]
    articles = _read_articles(graph, {telling.article for telling in used})
    facts = read_facts(graph, (telling.triple for telling in used))
    yield from spread(
        [*_on_shared(shared, articles, facts, seed), *_on_missing(missing, articles, facts, seed)],
        BUNDLES,
        limit,
    )


def _read_topics(graph: Graph, corpus: str, most: int, seed: int) -> list[_Topic]:
    found: list[_Topic] = []
    for row in graph.stream(query("facts/list_topics"), corpus=corpus):
        tellings = tuple(
            _Telling(fact["triple"], fact["article"], fact["cluster"] or "") for fact in row["facts"]
        )
        found.append(_Topic(row["entity"], (row["name"], *row["aliases"]), tellings))
        if len(found) > 2 * MOST_TOPICS:
            found = _by_chance(found, seed)[:MOST_TOPICS]
    return _by_chance(found, seed)[:most]


def _by_chance(topics: Iterable[_Topic], seed: int) -> list[_Topic]:
    return sorted(topics, key=lambda topic: chance(seed, "topic", topic.entity))


def _pairs(topic: _Topic, seed: int) -> Iterator[tuple[_Telling, _Telling]]:
    """A few pairs of tellings of two articles; those of one cluster come first."""
    by_article: dict[str, _Telling] = {}
    for telling in sorted(topic.tellings, key=lambda one: chance(seed, one.triple)):
        by_article.setdefault(telling.article, telling)
    pairs = combinations(list(by_article.values())[:6], 2)
    yield from sorted(pairs, key=lambda pair: pair[0].cluster != pair[1].cluster)[:PAIRS_A_TOPIC]


def _told_by_one(topics: Sequence[_Topic], seed: int) -> Iterator[tuple[_Topic, _Telling, _Telling]]:
    """A telling of a topic beside a telling of the same cluster on another topic, of another article."""
    by_cluster: dict[str, list[_Telling]] = {}
    for topic in topics:
        for telling in topic.tellings[:4]:
            by_cluster.setdefault(telling.cluster, []).append(telling)
    for topic in topics:
        own = {telling.article for telling in topic.tellings}
        first = min(topic.tellings, key=lambda telling: chance(seed, "one", telling.triple))
        others = [
            telling for telling in by_cluster.get(first.cluster, ())[:200] if telling.article not in own
        ]
        if others:
            yield topic, first, min(others, key=lambda telling: chance(seed, topic.entity, telling.triple))


def _read_articles(graph: Graph, ids: Iterable[str]) -> dict[str, _Article]:
    rows = graph.read_in_batches(query("articles/read_mentions"), sorted(ids), ARTICLES_A_BATCH)
    return {row["id"]: _article(row) for row in rows}


def _article(row: Row) -> _Article:
    return _Article(
        title=row["title"],
        source=row["source"],
        words=frozenset(normal_form(row["body"]).split()),
        entities={entity["id"]: entity["type"] for entity in row["entities"]},
    )


def _on_shared(
    pairs: Sequence[tuple[_Topic, _Telling, _Telling]],
    articles: Mapping[str, _Article],
    facts: Mapping[str, KnownFact],
    seed: int,
) -> Iterator[Candidate]:
    for topic, one, other in _askable_pairs(pairs, articles, facts):
        first, second = articles[one.article], articles[other.article]
        known = facts[one.triple], facts[other.triple]
        draw = chance(seed, "topic", one.triple, other.triple)
        worth = float(one.cluster == other.cluster)
        yield Candidate(_both(topic, known, (first, second), "Yes"), "both: yes", topic.entity, worth, draw)
        if _only_shared(topic, first, second) and noun_by_facts(topic.entity, known) not in TOO_VAGUE:
            yield Candidate(_which(topic, known, (first, second)), "shared", topic.entity, worth, draw)


def _on_missing(
    pairs: Sequence[tuple[_Topic, _Telling, _Telling]],
    articles: Mapping[str, _Article],
    facts: Mapping[str, KnownFact],
    seed: int,
) -> Iterator[Candidate]:
    for topic, one, other in _askable_pairs(pairs, articles, facts):
        first, second = articles[one.article], articles[other.article]
        if topic.entity in second.entities or _content(topic.names) & second.words:
            # Only where no word of any of its names stands in the article, it surely tells nothing of it.
            continue
        draft = _both(topic, (facts[one.triple], facts[other.triple]), (first, second), "No")
        yield Candidate(
            draft, "both: no", topic.entity, 1.0, chance(seed, "missing", one.triple, other.triple)
        )


def _askable_pairs(
    pairs: Sequence[tuple[_Topic, _Telling, _Telling]],
    articles: Mapping[str, _Article],
    facts: Mapping[str, KnownFact],
) -> Iterator[tuple[_Topic, _Telling, _Telling]]:
    """The pairs whose titles can be cited and whose facts are both known."""
    for topic, one, other in pairs:
        named = _nameable(topic, articles[one.article], articles[other.article])
        if named and not {one.triple, other.triple} - facts.keys():
            yield topic, one, other


def _nameable(topic: _Topic, first: _Article, second: _Article) -> bool:
    """Whether the two titles can be told apart and neither gives the topic away."""
    apart = (
        first.source != second.source
        and first.title != second.title
        and '"' not in first.title + second.title
    )
    return apart and names_apart(topic.names, (first.title, second.title))


def _only_shared(topic: _Topic, first: _Article, second: _Article) -> bool:
    """Whether nothing else that both articles mention could be of the topic's type."""
    kind = first.entities.get(topic.entity) or second.entities.get(topic.entity)
    both = first.entities.keys() & second.entities.keys()
    return kind is not None and [one for one in both if compatible(first.entities[one], kind)] == [
        topic.entity
    ]


def _content(names: Iterable[str]) -> set[str]:
    return {word for name in names for word in normal_form(name).split() if word not in FUNCTION_WORDS}


def _topic_stop(topic: _Topic, fact: KnownFact) -> Stop:
    return fact.subject if fact.subject.id == topic.entity else fact.object


def _both(
    topic: _Topic, facts: tuple[KnownFact, KnownFact], articles: tuple[_Article, _Article], answer: str
) -> Draft:
    stop = _topic_stop(topic, facts[0])
    name = with_article(stop.name, facts[0].sentence)
    text = f"Do {_cited(articles[0])} and {_cited(articles[1])} both tell of {name}?"
    return _draft(text, answer, (answer,), stop, facts, articles)


def _which(topic: _Topic, facts: tuple[KnownFact, KnownFact], articles: tuple[_Article, _Article]) -> Draft:
    stop = _topic_stop(topic, facts[0])
    noun = noun_by_facts(topic.entity, facts)
    text = f"Which {noun} do {_cited(articles[0])} and {_cited(articles[1])} both tell of?"
    return _draft(text, stop.name, stop.names, stop, facts, articles)


def _cited(article: _Article) -> str:
    return f'"{article.title}" in {article.source}'


def _draft(
    text: str,
    answer: str,
    accepted: tuple[str, ...],
    topic: Stop,
    facts: tuple[KnownFact, KnownFact],
    articles: tuple[_Article, _Article],
) -> Draft:
    asked = answer == topic.name
    linked = topic.id in {facts[1].subject.id, facts[1].object.id}
    return Draft(
        kind="bridge topic",
        text=text,
        answer=answer,
        accepted=accepted,
        answer_type=topic.type if asked else "YES_NO",
        generator=GENERATOR,
        stops=(topic,),
        facts=(facts[0].fact(1), facts[1].fact(2, "shared" if linked else "start")),
        answered_by=topic.id if asked else "",
        hidden=topic.names if asked else (),
        sources=tuple(article.source for article in articles),
    )
