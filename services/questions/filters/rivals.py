"""Is the answer the only one that fits? Other ends of the same walk over the whole graph are looked for.

What filters read of the graph: where facts lead, what triples relate, which entities are one thing.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg.model import LITERAL_TYPES, EntityType
from kg.queries import query
from kg.resolve.name_pool import compatible, date_key
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, Row
from kg.text import inflection
from kg.text.lexicon import countries, places, sovereign
from services.questions.draft import Draft, Fact, Stop
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.kinds.askable import PREPOSITIONS, words_pattern
from services.questions.predicate_key import predicate_key

ROWS_A_BATCH = 500
"""Entities whose facts are read in one statement."""

Turn = tuple[str, bool]
"""An entity's id, and whether facts are followed from their object to their subject."""


@dataclass(frozen=True, slots=True)
class Known:
    """An entity with its names, and the ids of those that are the same in some context."""

    id: str
    name: str
    type: EntityType
    names: tuple[str, ...]
    alike: frozenset[str]


def read_steps(graph: Graph, turns: Iterable[Turn]) -> dict[Turn, dict[str, frozenset[str]]]:
    """Where facts lead that are not denied, mirrored ones too: by predicate key, the ids of the ends."""
    rows = [{"id": id_, "reversed": back} for id_, back in sorted(set(turns))]
    found: dict[Turn, dict[str, frozenset[str]]] = {}
    for row in graph.read_rows(query("facts/read_steps"), rows, ROWS_A_BATCH):
        ends: defaultdict[str, set[str]] = defaultdict(set)
        for predicate, end in row["facts"]:
            ends[predicate_key(predicate)].add(end)
        found[row["id"], row["reversed"]] = {key: frozenset(ids) for key, ids in ends.items()}
    return found


def read_triple_ends(graph: Graph, triples: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Subject's and object's ids of triples, by the triple's id."""
    rows = graph.read_in_batches(query("facts/read_ends"), sorted(set(triples)))
    return {row["id"]: (row["from"], row["to"]) for row in rows}


def read_known(graph: Graph, ids: Iterable[str]) -> dict[str, Known]:
    """Entities by their ids."""
    rows = graph.read_in_batches(query("entities/read_with_links"), sorted(set(ids)))
    return {
        row["id"]: Known(
            row["id"], row["name"], row["type"], (row["name"], *row["aliases"]), frozenset(row["alike"])
        )
        for row in rows
    }


def is_same(one: Known, other: Known) -> bool:
    """Whether two entities are one thing: exactly, in context, by name, or as dates that can both be true."""
    if one.id == other.id or other.id in one.alike:
        return True
    if one.type == "DATE" and other.type == "DATE":
        shorter, longer = sorted((date_key(one.name), date_key(other.name)), key=len)
        return longer == shorter or longer.startswith(f"{shorter}-")
    return not {*map(normal_form, one.names)}.isdisjoint(map(normal_form, other.names))


_Ends = tuple[str, str]

BRIDGES = frozenset({"bridge entity", "bridge topic"})


@dataclass(frozen=True, slots=True)
class _Walk:
    """Predicates to follow from an entity, each with its direction, and the end that is expected."""

    start: str
    steps: tuple[tuple[str, bool], ...]
    end: str

    @property
    def comes_back(self) -> bool:
        """Whether its last step undoes the first, so that it must come to its start again.

        Of "who is president of the country that Ford is a citizen of?" Ford is an answer as any other.
        """
        (first, forth), (last, back) = self.steps[0], self.steps[-1]
        return len(self.steps) == 1 or (first == last and forth != back)


@dataclass(frozen=True, slots=True)
class OnlyAnswer:
    """No other entity of the asked type fits: the graph is walked from the start along the same predicates.

    Predicates are the same when only their tense differs. Facts that are not denied count, doubtful,
    attributed and mirrored ones too, since an article that says so makes the question ambiguous; of a chain
    by rules also what a sentence says of which no fact was read (`_rivals_in_text`). Of a
    comparison each compared value must be the only one, of a temporal question each date; of a bridge,
    nothing else may fit all its facts. Null questions pass: they have no answer to be rivalled.
    """

    graph: Graph
    corpus: str
    name: str = "only answer"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        others = [fact.triple for draft in drafts if draft.kind != "chain" for fact in draft.facts]
        ends = read_triple_ends(self.graph, others)
        walks = [_walks(draft, ends) for draft in drafts]
        reached = _follow(self.graph, [walk for found in walks for walk in found])
        ids = {id_ for walk, found in reached.items() for id_ in (*found, walk.end)}
        known = read_known(self.graph, ids)
        by_draft = [[(walk, reached[walk]) for walk in found] for found in walks]
        inner = self._inner_places(drafts, by_draft)
        verdicts = [
            _verdict(draft, found, known, inner if _ASKS_FOR_A_COUNTRY.search(draft.text) else {})
            for draft, found in zip(drafts, by_draft, strict=True)
        ]
        left = [at for at, verdict in enumerate(verdicts) if verdict is PASS]
        for at, rival in _rivals_in_text(self.graph, [drafts[at] for at in left]).items():
            verdicts[left[at]] = fail(
                f'by a sentence of which no fact was read, "{rival}" may be right as well'
            )
        return verdicts

    def _inner_places(
        self, drafts: Sequence[Draft], by_draft: Sequence[Sequence[tuple[_Walk, frozenset[str]]]]
    ) -> dict[str, frozenset[str]]:
        """What the places that a question for a country leads to lie in themselves, by id."""
        turns = {
            (end, False)
            for draft, found in zip(drafts, by_draft, strict=True)
            if _ASKS_FOR_A_COUNTRY.search(draft.text)
            for _, ends in found
            for end in ends
        }
        steps = read_steps(self.graph, turns)
        return {id_: steps.get((id_, back), {}).get("be located in", frozenset()) for id_, back in turns}


def _walks(draft: Draft, ends: dict[str, _Ends]) -> list[_Walk]:
    if draft.kind == "chain":
        steps = tuple((predicate_key(fact.predicate), fact.reversed) for fact in draft.facts)
        return [_Walk(draft.stops[0].id, steps, draft.stops[-1].id)]
    if draft.kind == "null":
        return []
    return [_towards(draft, fact, *ends[fact.triple]) for fact in draft.facts if fact.triple in ends]


def _towards(draft: Draft, fact: Fact, subject: str, end: str) -> _Walk:
    """A walk over one fact: to the bridge, or else from its subject to its value."""
    key = predicate_key(fact.predicate)
    if fact.reversed or (draft.kind in BRIDGES and subject == draft.answered_by):
        return _Walk(end, ((key, True),), subject)
    return _Walk(subject, ((key, False),), end)


def _follow(graph: Graph, walks: Sequence[_Walk]) -> dict[_Walk, frozenset[str]]:
    """Where each walk may end; one statement a step, for all walks together."""
    at = {walk: frozenset({walk.start}) for walk in walks}
    for step in range(max((len(walk.steps) for walk in walks), default=0)):
        under_way = [walk for walk in at if step < len(walk.steps)]
        turns: set[Turn] = {(id_, walk.steps[step][1]) for walk in under_way for id_ in at[walk]}
        found = read_steps(graph, turns)
        for walk in under_way:
            key, back = walk.steps[step]
            at[walk] = frozenset(
                end for id_ in at[walk] for end in found.get((id_, back), {}).get(key, frozenset())
            )
    return at


def _verdict(
    draft: Draft,
    reached: Sequence[tuple[_Walk, frozenset[str]]],
    known: dict[str, Known],
    inner: dict[str, frozenset[str]],
) -> Verdict:
    """`inner` are the places that are asked about by "which country", with what they lie in."""
    if draft.kind == "temporal":
        reached = [(walk, ends) for walk, ends in reached if known[walk.end].type == "DATE"]
    anything = _ASKS_WHAT.search(draft.text) is not None
    rivals = [_rivals(walk, ends, known, anything=anything) for walk, ends in reached]
    if draft.kind in BRIDGES:
        if {walk.end for walk, _ in reached} != {draft.answered_by}:
            return PASS
        fitting = set.intersection(*map(set, rivals))
    else:
        # What one side of a comparison states is no rival to the other: to differ may be its point.
        ends = {walk.end for walk, _ in reached}
        fitting = {rival for found in rivals for rival in found} - ends
        fitting -= {id_ for id_, outer in inner.items() if outer & ends or _is_no_country(known[id_])}
    if not fitting:
        return PASS
    names = sorted(known[id_].name for id_ in fitting)
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return fail(f'"{names[0]}"{more} would be right as well')


_ASKS_WHAT = re.compile(r"\b[Ww]hat\b[^.]*\?$")
"""No noun says of which kind the answer is, and types are often wrong: a film by its name is a person."""
_ASKS_FOR_A_COUNTRY = re.compile(r"\b[Ww]hich country\b(?=[^.]*$)")
"""What no town or state answers, whichever of them the walk comes to as well."""


def _is_no_country(one: Known) -> bool:
    """Whether an entity is known for a town, or for a part of a country."""
    named = [name for name in one.names if name in places()]
    return bool(named) and not any(name in sovereign() or name in countries() for name in one.names)


def may_answer_alike(one: EntityType, other: EntityType) -> bool:
    """Whether one question may be answered by entities of both types.

    A hall of fame is an organisation to one sentence and a building to the next, so these two count as one.
    """
    return compatible(one, other) or {one, other} == {"ORG", "FAC"}


def _rivals(walk: _Walk, ends: frozenset[str], known: dict[str, Known], *, anything: bool) -> frozenset[str]:
    """The other ends of a walk that would answer; where `anything` is asked, of all types but dates."""
    wanted = known.get(walk.end)
    if wanted is None:
        return frozenset()
    return frozenset(
        id_
        for id_ in ends
        if (id_ != walk.start or not walk.comes_back)
        and id_ in known
        and (
            may_answer_alike(known[id_].type, wanted.type)
            or (anything and LITERAL_TYPES.isdisjoint({known[id_].type, wanted.type}))
        )
        and not is_same(wanted, known[id_])
    )


CLAIMS_LOOKED_AT = 2_000
"""Claims of one entity that are looked through."""
_HOPS_A_BATCH = 100
_BETWEEN = 3
"""Words that may stand between a verb and the name that it is told of."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What a hop rests on: an entity, and what is said of it, forwards or backwards."""

    entity: str
    key: str
    reversed: bool

    @property
    def id(self) -> str:
        return f"{self.entity} {self.key}"

    @property
    def words(self) -> frozenset[str]:
        """Every form of the verb; none for what "be" says, whose sentences have many names beside a noun."""
        verb, *_ = self.key.split() or [""]
        if verb in {"be", "have", "not", ""}:
            return frozenset()
        return frozenset(form for form in (verb, *inflection.all_forms(verb)) if form.isalpha())

    @property
    def complement(self) -> frozenset[str]:
        """The nouns that belong to the verb: "hold joint exercises on"."""
        return frozenset(self.key.split()[1:]) - PREPOSITIONS


def _rivals_in_text(graph: Graph, drafts: Sequence[Draft]) -> dict[int, str]:
    """By the place of a chain by rules, a name that some claim tells of what a hop tells of another name.

    Of "as President Bush criticized Russia" the rules may have read nothing, and "the country that Bush
    criticized" would be China alone. So the claims that name the entity which a fact is told of are looked
    through for its verb beside another name that could stand in the fact's other place.
    """
    hops = [
        (at, _Told(left.id, predicate_key(fact.predicate), fact.reversed), fact, reached)
        for at, draft in enumerate(drafts)
        if draft.kind == "chain" and not draft.by_model
        for fact, left, reached in zip(draft.facts, draft.stops[:-1], draft.stops[1:], strict=True)
    ]
    claims = _read_claims(graph, {told for _, told, _, _ in hops})
    found: dict[int, str] = {}
    for at, told, fact, reached in hops:
        ours = {stop.id for stop in drafts[at].stops}
        rival = _rival(told, fact, reached, ours, claims.get(told.id, ()))
        if rival and at not in found:
            found[at] = rival
    return found


def _read_claims(graph: Graph, told: Iterable[_Told]) -> Mapping[str, Sequence[Row]]:
    by_id = {one.id: one for one in told if one.words}
    rows = [
        {"id": id_, "entity": one.entity, "words": words_pattern(one.words)}
        for id_, one in sorted(by_id.items())
    ]
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for row in graph.read_rows(query("claims/find_verbs"), rows, _HOPS_A_BATCH, looked_at=CLAIMS_LOOKED_AT):
        found[row["id"]].append(row)
    return found


def _rival(told: _Told, fact: Fact, reached: Stop, ours: set[str], claims: Sequence[Row]) -> str:
    wanted = Known(reached.id, reached.name, reached.type, reached.names, frozenset())
    verb = rf"\b(?:{'|'.join(map(re.escape, sorted(told.words)))})\b"
    for row in sorted(claims, key=lambda row: str(row["claim"])):
        if row["claim"] == fact.claim or not told.complement <= frozenset(row["text"].casefold().split()):
            continue
        for one in sorted(row["named"], key=lambda one: str(one["name"])):
            other = Known(one["id"], one["name"], one["type"], (one["name"], *one["names"]), frozenset())
            if other.id in ours or is_same(wanted, other) or not may_answer_alike(other.type, wanted.type):
                continue
            if _stands_beside(verb, told.reversed, other.names, row["text"]):
                return other.name
    return ""


def _stands_beside(verb: str, backwards: bool, names: Sequence[str], text: str) -> bool:
    """Whether a name is where the verb's object is, or its subject where the fact is walked backwards."""
    name = rf"(?:{'|'.join(re.escape(name) for name in sorted(names, key=len, reverse=True))})\b"
    between = rf"(?:[^\w.;]+\w+){{0,{_BETWEEN}}}?[^\w.;]+"
    order = rf"\b{name}{between}{verb}" if backwards else rf"{verb}{between}{name}"
    return re.search(order, text, re.IGNORECASE) is not None
