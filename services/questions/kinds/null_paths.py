"""The beginnings of drawn paths, and what their last entity might be asked and surely lacks."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.queries import query
from kg.store.graph import Graph, Row
from services.questions.draft import Fact, Stop
from services.questions.kinds.known_facts import KnownFact, read_facts
from services.questions.kinds.spread import chance

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
    for row in graph.stream(query("paths/list_paths"), corpus=corpus):
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
    for row in graph.stream(query("kinds/list_profiles"), corpus=corpus, predicates=sorted(keys)):
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
        for row in graph.read_rows(query("kinds/list_ends"), rows, PATHS_A_BATCH):
            fronts[row["id"]] = row["ends"]
    for one in beginnings:
        if {*fronts[one.id]} <= {one.last.id} | doubles.get(one.last.id, set()):
            yield one
