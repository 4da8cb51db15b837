"""Null: questions whose answer the corpus does not hold, verified over the graph and over the text.

One form follows the first facts of a drawn path and asks its last entity for something that others of its
sort have and it has not. The other starts from a name that nobody in the corpus bears (MultiHop-RAG, 3.1).

The beginnings of drawn paths, and what their last entity might be asked and surely lacks.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.model import PLACE_TYPES, EntityType
from kg.queries import query
from kg.store.graph import Graph, Row
from kg.text.sentences import sentence_spans
from services.answers import INSUFFICIENT
from services.questions.draft import Draft, Fact, Stop
from services.questions.fitting import may_have, may_lack
from services.questions.kinds.askable import (
    list_askable,
    name_words,
    relation_words,
    same_relation,
    telling_words,
    words_pattern,
    words_query,
)
from services.questions.kinds.invented_names import fictional_sources, invented_names
from services.questions.kinds.known_facts import KnownFact, Relation, read_facts, read_relations
from services.questions.kinds.spread import Candidate, chance, spread
from services.questions.predicate_key import predicate_key, same_predicates
from services.questions.singling_out import unspecific
from services.questions.wording.chain import GENERATOR, chain_question
from services.questions.wording.doubts import doubt

PATHS_A_BATCH = 500


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first facts of a drawn path; `stops` has one more than `facts`, which keep the path's direction."""

    path: str
    stops: tuple[Stop, ...]
    facts: tuple[Fact, ...]

    @property
    def id(self) -> str:
        """Names it among others."""
        return f"{self.path} {len(self.facts)}"

    @property
    def last(self) -> Stop:
        """Where it leads."""
        return self.stops[-1]


def draw_beginnings(graph: Graph, corpus: str, most: int, longest: int, seed: int) -> list[Beginning]:
    """One beginning of each of up to `most` drawn paths, of one to `longest` facts, by chance."""
    ids: list[str] = []
    for row in graph.stream(query("paths/list_paths"), corpus=corpus, first=True):
        ids.append(row["id"])
        if len(ids) > 4 * most:
            ids = sorted(ids, key=lambda path: chance(seed, "path", path))[:most]
    ids = sorted(ids, key=lambda path: chance(seed, "path", path))[:most]
    rows = list(graph.read_in_batches(query("paths/read_paths"), ids, PATHS_A_BATCH))
    facts = read_facts(graph, (edge["triple"] for row in rows for edge in row["edges"]))
    made = [_beginning(row, facts, longest, seed) for row in rows]
    return [one for one in made if one is not None]


def _beginning(row: Row, facts: Mapping[str, KnownFact], longest: int, seed: int) -> Beginning | None:
    length = 1 + int(chance(seed, "length", row["id"])[:6], 16) % min(longest, row["hops"] - 1)
    edges = row["edges"][:length]
    if any(edge["triple"] not in facts for edge in edges):
        return None
    walked = tuple(
        replace(
            facts[edge["triple"]].fact(edge["index"], edge["link"]),
            subject=edge["subject"],
            object=edge["object"],
            reversed=edge["reversed"],
        )
        for edge in edges
    )
    known = {stop.id: stop for edge in edges for stop in _ends(facts[edge["triple"]])}
    stops = tuple(
        known.get(entity["id"])
        or Stop(entity["id"], entity["name"], entity["type"], tuple(entity["aliases"] or ()))
        for entity in row["entities"][: length + 1]
    )
    return Beginning(row["id"], stops, walked)


def _ends(fact: KnownFact) -> tuple[Stop, Stop]:
    return fact.subject, fact.object


@dataclass(frozen=True, slots=True)
class Habits:
    """Which predicate keys go together at one entity, so that a gap can be a likely one.

    `together` counts entities that have (as subject) the second key beside the first, which stands with its
    role: ("has", "plays for") or ("gets", "owns").
    """

    together: Counter[tuple[str, str, str]]

    def likely(self, roles: Sequence[tuple[str, str]], key: str) -> int:
        """How many entities with one of these roles have the key too."""
        return sum(self.together[(*role, key)] for role in roles)


def read_habits(graph: Graph, corpus: str, keys: Mapping[str, str]) -> Habits:
    """What goes together in a corpus; `keys` maps the predicates that count to their keys."""
    together: Counter[tuple[str, str, str]] = Counter()
    for row in graph.stream(query("facts/list_profiles"), corpus=corpus, predicates=sorted(keys)):
        has = {keys[predicate] for predicate in row["has"]}
        roles = {("has", key) for key in has} | {("gets", keys[predicate]) for predicate in row["gets"]}
        together.update((*role, key) for role in roles for key in has if role != ("has", key))
    return Habits(together)


def ends_only_at_last(
    graph: Graph,
    beginnings: Sequence[Beginning],
    tenses: Mapping[str, tuple[str, ...]],
    doubles: Mapping[str, set[str]],
) -> Iterator[Beginning]:
    """Those whose predicates, walked from the start, lead to the last entity and to no other."""
    fronts = {one.id: [one.stops[0].id] for one in beginnings}
    longest = max((len(one.facts) for one in beginnings), default=0)
    for step in range(longest):
        rows = [
            {
                "id": one.id,
                "from": fronts[one.id],
                "predicates": list(tenses.get(one.facts[step].predicate, (one.facts[step].predicate,))),
                "reversed": one.facts[step].reversed,
            }
            for one in beginnings
            if len(one.facts) > step
        ]
        for row in graph.read_rows(query("facts/list_ends"), rows, PATHS_A_BATCH):
            fronts[row["id"]] = row["ends"]
    for one in beginnings:
        if {*fronts[one.id]} <= {one.last.id} | doubles.get(one.last.id, set()):
            yield one


MOST_KEYS = 200
PATHS_A_DRAFT = 12
LONGEST = 3
MOST_EDGES = 200
"""What has more edges than this is so much told of that a gap can't be sure."""
TRIES_FOR_A_NAME = 3
_GAPS_A_BEGINNING = 4
_ROWS_A_BATCH = 100
MOST_PASSAGES = 200
"""Where more passages than this have a name and a verb of a gap, it is not sure."""
BUNDLES = (("gap",), ("gap",), ("invented",))
SHARE_OF_INVENTED = 3
"""A third of the null questions at most begin with an invented name: they are the easier ones."""


@dataclass(frozen=True, slots=True)
class _Gap:
    """A relation that the last entity of a beginning may lack, and what it would lead to."""

    beginning: Beginning
    predicate: str
    key: str
    type: EntityType
    likely: int

    @property
    def id(self) -> str:
        return f"{self.beginning.id} {self.key}"


def nulls(graph: Graph, corpus: str, limit: int, seed: int) -> Iterator[Draft]:
    """Up to `limit` null questions, two with a missing fact for one with an invented name."""
    askable = list_askable(graph, corpus, fewest=1, limit=MOST_KEYS)
    drawn = draw_beginnings(graph, corpus, PATHS_A_DRAFT * limit, LONGEST, seed)
    usual = set(askable)
    known = [
        one
        for one in drawn
        if all(fact.predicate in usual for fact in one.facts)
        and _goes_with_its_ends(one)
        and _leads_to_one(one)
        and not doubt(one.stops, one.facts)
    ]
    candidates = [
        *_with_gap(graph, corpus, known, askable, seed),
        *_with_invented_start(graph, corpus, known, max(1, limit // SHARE_OF_INVENTED), seed),
    ]
    sources = fictional_sources(graph, corpus, seed)
    yield from spread((_with_source(one, sources, seed) for one in candidates), BUNDLES, limit)


def _goes_with_its_ends(beginning: Beginning) -> bool:
    """Whether the kinds of a beginning's entities go with its predicates."""
    for fact, here, there in zip(beginning.facts, beginning.stops[:-1], beginning.stops[1:], strict=True):
        subject, object_ = (there, here) if fact.reversed else (here, there)
        if not may_have(subject.type, fact.predicate, object_.type):
            return False
    return True


def _leads_to_one(beginning: Beginning) -> bool:
    """Whether each step leads to one thing, and not to whoever won a prize that many win."""
    for fact, here, there in zip(beginning.facts, beginning.stops[:-1], beginning.stops[1:], strict=True):
        subject, object_ = (there, here) if fact.reversed else (here, there)
        if unspecific(fact, subject.type, object_.type, asked=False):
            return False
    return True


def _with_source(candidate: Candidate, sources: Sequence[str], seed: int) -> Candidate:
    """Half of the null questions, by chance, with a news source that doesn't exist."""
    draw = chance(seed, "named source", candidate.chance)
    if not sources or int(draw[:2], 16) % 2:
        return candidate
    source, draft = sources[int(draw[2:8], 16) % len(sources)], candidate.draft
    return replace(
        candidate,
        draft=replace(
            draft,
            text=f"{draft.text.removesuffix('?')}, according to the {source}?",
            sources=(source,),
            absent=f'{draft.absent}; and no source is called "{source}"',
        ),
    )


def _with_gap(
    graph: Graph, corpus: str, drawn: Sequence[Beginning], askable: Sequence[str], seed: int
) -> Iterator[Candidate]:
    around = {
        row["id"]: row
        for row in graph.read_in_batches(
            query("entities/read_surroundings"), sorted({one.last.id for one in drawn}), _ROWS_A_BATCH
        )
        if row["edges"] <= MOST_EDGES
    }
    sure = [one for one in drawn if one.last.id in around]
    doubles = {entity: {*row["doubles"]} for entity, row in around.items()}
    alone = list(ends_only_at_last(graph, sure, same_predicates(askable), doubles))
    relations = read_relations(graph, corpus, askable, seed)
    habits = read_habits(graph, corpus, {predicate: predicate_key(predicate) for predicate in askable})
    gaps = [gap for one in alone for gap in _gaps(one, around[one.last.id], relations, habits, askable, seed)]
    filled = _may_be_filled(graph, corpus, gaps, around)
    for gap in gaps:
        if gap.id not in filled:
            yield _gap_candidate(gap, around[gap.beginning.last.id], seed)


def _gaps(
    beginning: Beginning,
    around: Row,
    relations: Sequence[Relation],
    habits: Habits,
    askable: Sequence[str],
    seed: int,
) -> list[_Gap]:
    """A few likely relations that no edge of the entity tells, in either direction, doubtful or not."""
    roles = [("has", predicate_key(one)) for one in around["has"]]
    roles += [("gets", predicate_key(one)) for one in around["gets"]]
    told = {predicate_key(predicate) for predicate in around["predicates"]}
    found: list[_Gap] = []
    for relation in relations:
        likely = habits.likely(roles, relation.key)
        if likely == 0 or relation.single < 2 or any(same_relation(relation.key, key) for key in told):
            continue
        wanted = _wanted_type(relation)
        if wanted in PLACE_TYPES and around["placed"]:
            # A place beside the name may be the answer without any verb: "the clinic in Ostby".
            continue
        predicate = _singular(relation.key, askable)
        if may_lack(beginning.last.type, predicate, wanted, beginning.last.name):
            found.append(_Gap(beginning, predicate, relation.key, wanted, likely))
    found.sort(key=lambda gap: (-gap.likely, chance(seed, gap.id)))
    return found[:_GAPS_A_BEGINNING]


def _wanted_type(relation: Relation) -> EntityType:
    types = Counter(value.type for value in relation.singles.values())
    return min(types, key=lambda kind: (-types[kind], kind))


def _singular(key: str, askable: Sequence[str]) -> str:
    tenses = [predicate for predicate in askable if predicate_key(predicate) == key]
    plural = ("are ", "were ", "have ")
    return min(
        tenses,
        key=lambda predicate: (predicate.startswith(plural), predicate == key, tenses.index(predicate)),
    )


def _may_be_filled(graph: Graph, corpus: str, gaps: Sequence[_Gap], around: Mapping[str, Row]) -> set[str]:
    """The gaps that a sentence may fill: it has a name of the entity and a word that tells the relation.

    Sentences of claims are looked through, and those of passages and titles, of which not all are claims. So
    may those be filled that can't be looked for, since no word tells the entity or the relation.
    """
    rows, hidden = [], set()
    told: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for gap in gaps:
        row, words = around[gap.beginning.last.id], relation_words(gap.key)
        searched = words_query(row["names"], words)
        if not searched:
            hidden.add(gap.id)
            continue
        told[gap.id] = name_words(row["names"]), words
        rows.append(
            {
                "id": gap.id,
                "entities": [gap.beginning.last.id, *row["doubles"]],
                "words": searched,
                "verbs": words_pattern(words),
            }
        )
    found = graph.read_rows(query("claims/find_statements"), rows, _ROWS_A_BATCH, corpus=corpus)
    hidden |= {row["id"] for row in found}
    rows = [row for row in rows if row["id"] not in hidden]
    passages = graph.read_rows(
        query("chunks/find_tellings"), rows, _ROWS_A_BATCH, corpus=corpus, most=MOST_PASSAGES
    )
    return hidden | {row["id"] for row in passages if _may_tell(row["passages"], *told[row["id"]])}


def _may_tell(passages: Sequence[Row], names: frozenset[str], verbs: frozenset[str]) -> bool:
    """Whether a title or a sentence has a word of a name and a verb, or there are too many to be sure."""
    if len(passages) >= MOST_PASSAGES:
        return True
    for passage in passages:
        spans = sentence_spans(passage["text"])
        for text in (passage["title"], *(passage["text"][span.start : span.end] for span in spans)):
            words = telling_words(text)
            if words & names and words & verbs:
                return True
    return False


def _gap_candidate(gap: _Gap, around: Row, seed: int) -> Candidate:
    beginning, last = gap.beginning, gap.beginning.last
    wanted = Stop("", "", gap.type)
    missing = Fact(len(beginning.facts) + 1, "", "", last.name, gap.predicate, "", "", "", link="shared")
    names = ", ".join(f'"{name}"' for name in dict.fromkeys(around["names"]))
    draft = _null(
        text=chain_question((*beginning.stops, wanted), (*beginning.facts, missing)),
        stops=beginning.stops,
        facts=beginning.facts,
        hidden=tuple(dict.fromkeys(name for stop in beginning.stops[1:] for name in stop.names)),
        absent=(
            f'no fact says that {last.name} "{gap.predicate}" anything or anybody, and no sentence or title '
            f"with {names} has a word for that"
        ),
    )
    return Candidate(draft, "gap", gap.key, min(gap.likely, 5) + len(beginning.facts), chance(seed, gap.id))


def _with_invented_start(
    graph: Graph, corpus: str, drawn: Sequence[Beginning], most: int, seed: int
) -> Iterator[Candidate]:
    wanted = [
        one for one in drawn if one.stops[0].type in {"PERSON", "ORG"} and len(one.stops[0].name.split()) > 1
    ]
    wanted = sorted(wanted, key=lambda one: (-len(one.facts), chance(seed, "invented", one.id)))[
        : TRIES_FOR_A_NAME * most
    ]
    names = invented_names(graph, corpus, {one.id: one.stops[0].type for one in wanted}, seed)
    for one in [one for one in wanted if one.id in names][:most]:
        start = replace(one.stops[0], id="", name=names[one.id], aliases=(), nouns=())
        facts = (_from(one.facts[0], start.name), *one.facts[1:])
        draft = _null(
            text=chain_question((start, *one.stops[1:]), facts),
            stops=(),
            facts=(),
            hidden=tuple(dict.fromkeys(name for stop in one.stops[1:] for name in stop.names)),
            absent=f'nothing in the corpus is called "{start.name}", and no passage or title has this name',
        )
        draw = chance(seed, "invented", one.id)
        yield Candidate(draft, "invented", facts[0].predicate, float(len(facts)), draw)


def _from(first: Fact, name: str) -> Fact:
    """The first fact of a path, told of another start, which is its object where it is walked backwards."""
    return replace(first, object=name) if first.reversed else replace(first, subject=name)


def _null(
    text: str, stops: tuple[Stop, ...], facts: tuple[Fact, ...], hidden: tuple[str, ...], absent: str
) -> Draft:
    return Draft(
        kind="null",
        text=text,
        answer=INSUFFICIENT,
        accepted=(INSUFFICIENT,),
        answer_type="NONE",
        generator=GENERATOR,
        stops=stops,
        facts=facts,
        hidden=hidden,
        absent=absent,
    )
