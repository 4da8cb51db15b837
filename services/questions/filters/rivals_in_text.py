"""Other answers that a sentence gives though no triple was read from it.

"Only answer" knows what was extracted. Of "as President Bush criticized Russia" the rules may have read
nothing, and "the country that Bush criticized" is China alone then. So the claims that name the entity which
a fact is told of are looked through for its verb beside another name that could stand in the other place.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.resolve.name_pool import compatible
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, Row
from kg.text import inflection
from services.questions.draft import Draft, Fact, Stop
from services.questions.kinds.askable import PREPOSITIONS, words_pattern
from services.questions.predicate_key import predicate_key

CLAIMS_LOOKED_AT = 2_000
"""Claims of one entity that are looked through."""
ROWS_A_BATCH = 100
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


def rivals_in_text(graph: Graph, drafts: Sequence[Draft]) -> dict[int, str]:
    """By the place of a chain by rules, a name that some claim tells of what a hop tells of another name."""
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
    for row in graph.read_rows(query("claims/find_verbs"), rows, ROWS_A_BATCH, looked_at=CLAIMS_LOOKED_AT):
        found[row["id"]].append(row)
    return found


def _rival(told: _Told, fact: Fact, reached: Stop, ours: set[str], claims: Sequence[Row]) -> str:
    same = {normal_form(name) for name in reached.names}
    for row in sorted(claims, key=lambda row: str(row["claim"])):
        if row["claim"] == fact.claim or not told.complement <= frozenset(row["text"].casefold().split()):
            continue
        for other in sorted(row["named"], key=lambda one: str(one["name"])):
            names = [other["name"], *other["names"]]
            if other["id"] in ours or not same.isdisjoint(map(normal_form, names)):
                continue
            if compatible(other["type"], reached.type) and _stands_beside(told, names, row["text"]):
                return str(other["name"])
    return ""


def _stands_beside(told: _Told, names: Sequence[str], text: str) -> bool:
    """Whether a name is where the verb's object is, or its subject where the fact is walked backwards."""
    verb = rf"\b(?:{'|'.join(map(re.escape, sorted(told.words)))})\b"
    name = rf"(?:{'|'.join(re.escape(name) for name in sorted(names, key=len, reverse=True))})\b"
    between = rf"(?:[^\w.;]+\w+){{0,{_BETWEEN}}}?[^\w.;]+"
    order = rf"\b{name}{between}{verb}" if told.reversed else rf"{verb}{between}{name}"
    return re.search(order, text, re.IGNORECASE) is not None
