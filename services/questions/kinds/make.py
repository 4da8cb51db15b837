"""Questions of the further kinds, from the graph of a corpus.

Temporal: the order of two dated facts or of two reports, and whether two sources agree.

Order of reports: which of two articles of two sources on one entity came out first.

Consistency: whether two sources say the same of one thing (MultiHop-RAG, appendix A, temporal).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row
from kg.text import inflection
from services.questions.draft import Draft, QuestionKind, Stop
from services.questions.kinds.askable import list_askable, tells_event, without_date_preposition
from services.questions.kinds.bridge_entity import Bridge, bridge_entities, read_bridges
from services.questions.kinds.bridge_topic import bridge_topics
from services.questions.kinds.comparison import comparisons
from services.questions.kinds.event_order import ORDER_BUNDLES, dates_agree, order_candidates
from services.questions.kinds.known_facts import (
    FACTS_A_BATCH,
    KnownFact,
    Relation,
    Value,
    names_apart,
    read_facts,
    read_relations,
    related_pairs,
)
from services.questions.kinds.null_questions import nulls
from services.questions.kinds.spread import Candidate, chance, spread
from services.questions.predicate_key import predicate_key
from services.questions.wording.articles import with_article
from services.questions.wording.chain import GENERATOR, event_clause

AGREEMENT_BUNDLES = (("agree: yes", "agree: no"),)
_OTHER_VALUES_TRIED = 6


def agreement_candidates(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Candidate]:
    """Facts that two sources state, or date: do both say so, do they agree?

    "No" is the answer where their dates exclude each other, and where the question names another value than
    both of them do, which no claim gives to the subject.
    """
    askable = list_askable(graph, corpus, fewest=1, limit=MOST_KEYS)
    pairs = _repeated(graph, corpus, askable, seed)[: 8 * limit]
    facts = read_facts(graph, (triple for pair in pairs for triple in pair))
    known = [(facts[one], facts[other]) for one, other in pairs if one in facts and other in facts]
    for one, other in known:
        if one.object.type == "DATE" and other.object.type == "DATE":
            yield from _on_date(one, other, seed)
        elif one.object.id == other.object.id:
            yield _on_fact(one, other, one.object, one.sentence, seed)
    yield from _on_other_value(graph, known, read_relations(graph, corpus, askable, seed), seed)


def _repeated(graph: Graph, corpus: str, askable: Sequence[str], seed: int) -> list[tuple[str, str]]:
    """Pairs of triples of two sources that say the same of one subject, in an order by chance."""
    dated = {row["predicate"] for row in graph.stream(query("facts/list_dated"), corpus=corpus)}
    predicates = sorted({*askable, *filter(tells_event, dated)})
    pairs: list[tuple[str, str]] = []
    for row in graph.stream(query("facts/list_repeated"), corpus=corpus, predicates=predicates):
        pairs += _of_two_sources(row["facts"])
    return sorted(pairs, key=lambda pair: chance(seed, "agree", *pair))


def _of_two_sources(facts: Sequence[Row]) -> Iterator[tuple[str, str]]:
    groups: dict[tuple[str, str], dict[str, Row]] = {}
    for fact in facts:
        # The first triple of a source speaks for it, so that an entity makes few pairs.
        what = "" if fact["type"] == "DATE" else fact["id"]
        groups.setdefault((_event_key(fact), what), {}).setdefault(fact["source"], fact)
    for by_source in groups.values():
        for one, other in combinations(list(by_source.values())[:4], 2):
            yield one["triple"], other["triple"]


def _event_key(fact: Mapping[str, str]) -> str:
    predicate = fact["predicate"]
    return predicate_key(without_date_preposition(predicate) if fact["type"] == "DATE" else predicate)


def _on_date(one: KnownFact, other: KnownFact, seed: int) -> Iterator[Candidate]:
    agree = dates_agree(one.object.name, other.object.name)
    if agree is None or not tells_event(one.predicate):
        return
    event = event_clause(one.subject_in_text, one.predicate, "")
    answer = "Yes" if agree else "No"
    text = f"Do {one.source} and {other.source} agree on when {event}?"
    draft = _draft(one, other, text, answer, (one.subject,), (one.object.name, other.object.name))
    yield Candidate(
        draft, f"agree: {answer.lower()}", one.key, 1.0, chance(seed, "date", one.triple, other.triple)
    )


def _on_fact(one: KnownFact, other: KnownFact, value: Stop, sentence: str, seed: int) -> Candidate:
    answer = "Yes" if value.id == one.object.id else "No"
    clause = event_clause(one.subject_in_text, one.predicate, with_article(value.name, sentence))
    text = f"Do {one.source} and {other.source} both say that {clause}?"
    draft = _draft(one, other, text, answer, (one.subject, value), ())
    return Candidate(
        draft, f"agree: {answer.lower()}", one.key, 0.0, chance(seed, "both", one.triple, value.id)
    )


def _on_other_value(
    graph: Graph, known: Sequence[tuple[KnownFact, KnownFact]], relations: Sequence[Relation], seed: int
) -> Iterator[Candidate]:
    """The same question about a value that others have and this subject has not."""
    by_key = {relation.key: relation for relation in relations if not relation.dated}
    tried: list[tuple[KnownFact, KnownFact, Value]] = []
    for one, other in known:
        if one.object.id == other.object.id and one.key in by_key:
            values = by_key[one.key].singles.values()
            order = sorted(values, key=lambda value: chance(seed, one.triple, value.value))
            tried += [(one, other, value) for value in order[:_OTHER_VALUES_TRIED] if _could_be(one, value)]
    asked = [
        pair
        for one, _, value in tried
        for pair in ((one.subject.id, value.value), (one.object.id, value.value))
    ]
    related = related_pairs(graph, asked)
    stops = read_facts(graph, (value.triple for _, _, value in tried))
    for one, other, value in tried:
        ends = frozenset((one.subject.id, value.value)), frozenset((one.object.id, value.value))
        if not related & set(ends) and value.triple in stops:
            yield _on_fact(one, other, stops[value.triple].object, stops[value.triple].sentence, seed)


def _could_be(fact: KnownFact, value: Value) -> bool:
    same_sort = value.type == fact.object.type and value.value not in {fact.subject.id, fact.object.id}
    return same_sort and names_apart([value.name], [*fact.object.names, *fact.subject.names])


def _draft(
    one: KnownFact, other: KnownFact, text: str, answer: str, stops: tuple[Stop, ...], hidden: tuple[str, ...]
) -> Draft:
    return Draft(
        kind="temporal",
        text=text,
        answer=answer,
        accepted=(answer,),
        answer_type="YES_NO",
        generator=GENERATOR,
        stops=stops,
        facts=(one.fact(1), other.fact(2, "shared")),
        hidden=hidden,
        sources=(one.source, other.source),
    )


REPORT_BUNDLES = (("report: before", "report: after"),)
MOST_KEYS = 300
PAIRS_AN_ENTITY = 4
_PAST = frozenset({"was", "were", "has", "have", "had"})


def report_candidates(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Candidate]:
    """Pairs of facts about one entity that two sources reported on two days, each in one article only."""
    predicates = [one for one in list_askable(graph, corpus, fewest=1, limit=MOST_KEYS) if _is_past(one)]
    bridges = read_bridges(graph, corpus, predicates, seed)[: 4 * limit]
    facts = read_facts(graph, (fact.triple for bridge in bridges for fact in bridge.facts))
    once = _told_once(graph, facts)
    for bridge in bridges:
        known = [facts[fact.triple] for fact in bridge.facts if fact.triple in once]
        yield from _pairs(bridge, known, seed)


def _told_once(graph: Graph, facts: Mapping[str, KnownFact]) -> set[str]:
    """The facts whose entities no other article names in one sentence, where it might say the same."""
    asked = [
        triple for triple, fact in facts.items() if fact.source and fact.published and len(fact.articles) == 1
    ]
    rows = graph.read_in_batches(query("articles/list_tellings"), sorted(asked), FACTS_A_BATCH)
    return {row["id"] for row in rows if {*row["articles"]} <= {facts[row["id"]].article}}


def _pairs(bridge: Bridge, facts: Sequence[KnownFact], seed: int) -> Iterator[Candidate]:
    """Each pair in either order, of which one may be taken."""
    order = sorted(facts, key=lambda fact: chance(seed, bridge.entity, fact.triple))
    made = 0
    for one, other in combinations(order[: 2 * PAIRS_AN_ENTITY], 2):
        same = one.source == other.source or one.published == other.published or one.key == other.key
        if same or "DATE" in {one.object.type, other.object.type} or made == PAIRS_AN_ENTITY:
            continue
        made += 1
        draw = chance(seed, "report", one.triple, other.triple)
        yield _candidate(bridge, one, other, draw)
        yield _candidate(bridge, other, one, draw)


def _candidate(bridge: Bridge, first: KnownFact, second: KnownFact, draw: str) -> Candidate:
    # Days as ISO text sort as days.
    word = "Before" if first.published < second.published else "After"
    stops = {stop.id: stop for fact in (first, second) for stop in (fact.subject, fact.object)}
    draft = Draft(
        kind="temporal",
        text=(
            f"Did {first.source} report that {_clause(first)} before or after "
            f"{second.source} reported that {_clause(second)}?"
        ),
        answer=word,
        accepted=(word,),
        answer_type="ORDER",
        generator=GENERATOR,
        stops=(stops.pop(bridge.entity), *stops.values()),
        facts=(first.fact(1), second.fact(2, "shared")),
        sources=(first.source, second.source),
    )
    return Candidate(draft, f"report: {word.lower()}", bridge.entity, 0.0, draw)


def _clause(fact: KnownFact) -> str:
    return event_clause(fact.subject_in_text, fact.predicate, fact.object_in_text)


def _is_past(predicate: str) -> bool:
    """Whether it tells what happened, not what is: "acquired", "has joined", "was born in"."""
    word, *_ = predicate.casefold().split()
    verb, *_ = predicate_key(predicate).split()
    return word in _PAST or (word != verb and word in inflection.forms(verb, "VBD"))


BUNDLES = (*ORDER_BUNDLES, *REPORT_BUNDLES, *AGREEMENT_BUNDLES)


def temporals(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Draft]:
    """Up to `limit` temporal questions; forms take turns, each answer is as frequent as its opposite."""
    candidates = [
        *order_candidates(graph, corpus, seed),
        *report_candidates(graph, corpus, limit, seed),
        *agreement_candidates(graph, corpus, limit, seed),
    ]
    yield from spread(candidates, BUNDLES, limit)


Maker = Callable[[Graph, str, int, int], Iterator[Draft]]
"""Makes up to so many drafts from a corpus: graph, corpus, limit, seed."""

DRAFTS_A_QUESTION = 2
"""Filters take about half of what is made."""

_MAKERS: Mapping[QuestionKind, Maker] = {
    "comparison": comparisons,
    "temporal": temporals,
    "null": nulls,
    "bridge entity": bridge_entities,
    "bridge topic": bridge_topics,
}


def draft_kinds(
    graph: Graph, corpus: str, kinds: Sequence[QuestionKind], per_kind: int, seed: int, progress: Progress
) -> Iterator[Draft]:
    """Up to twice `per_kind` drafts of each kind, the best and most diverse first.

    There are fewer where the graph has no more. The same graph and seed always give the same drafts.
    `kinds` may hold any but "chain".
    """
    for kind in dict.fromkeys(kinds):
        progress.step(kind, DRAFTS_A_QUESTION * per_kind)
        for draft in _MAKERS[kind](graph, corpus, DRAFTS_A_QUESTION * per_kind, seed):
            yield draft
            progress.advance()
