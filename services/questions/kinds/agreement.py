"""Consistency: whether two sources say the same of one thing (MultiHop-RAG, appendix A, temporal)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.draft import Draft, Stop
from services.questions.kinds.apart import names_apart, related_pairs
from services.questions.kinds.askable import list_askable, tells_event, without_date_preposition
from services.questions.kinds.date_span import dates_agree
from services.questions.kinds.known_facts import KnownFact, read_facts
from services.questions.kinds.spread import Candidate, chance
from services.questions.kinds.values import Relation, Value, read_relations
from services.questions.predicate_key import predicate_key
from services.questions.wording.articles import with_article
from services.questions.wording.chain import GENERATOR
from services.questions.wording.pairs import event_clause

AGREEMENT_BUNDLES = (("agree: yes", "agree: no"),)
MOST_KEYS = 300
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
    dated = {row["predicate"] for row in graph.stream(query("kinds/list_dated"), corpus=corpus)}
    predicates = sorted({*askable, *filter(tells_event, dated)})
    pairs: list[tuple[str, str]] = []
    for row in graph.stream(query("kinds/list_repeated"), corpus=corpus, predicates=predicates):
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
