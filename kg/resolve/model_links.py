"""Equivalent entities by a model that reads facts and claims of one cluster (GRADE, sections 3.1 and A.9).

The model answers with groups of listed entities; nothing is believed that the facts speak against.
A group of which one pair can't be is dropped whole, since a model that errs there may err about the rest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import combinations

from kg.errors import ModelError
from kg.llm.prompts import Prompt, fenced, load_prompt, on_one_line
from kg.llm.protocol import (
    Estimate,
    Failure,
    JsonValue,
    Model,
    ModelOutcome,
    ModelRequest,
    Schema,
    json_object,
)
from kg.model import NAMED_TYPES, Reject
from kg.resolve.cluster_context import ContextLink, EntityCard, Fact
from kg.resolve.link_batches import (
    LONGEST_CLAIM,
    LinkBatch,
    kept_apart,
    link_batches,
    may_be_one,
    ordered_pair,
)
from kg.resolve.normal_form import normal_form

LINKS_VERSION = 1
CONTEXT_SCORE = 0.8
"""The score of a contextual link by a model: a rank between those of the rules, no measured frequency."""
LARGEST_GROUP = 8
LONGEST_REASON = 160

Clusters = Mapping[str, Sequence[Fact]]


@dataclass(frozen=True, slots=True)
class ExactPair:
    """Entities `a` and `b` (ids, a < b) are one thing everywhere."""

    a: str
    b: str
    evidence: str


@dataclass(frozen=True, slots=True)
class ModelLinks:
    """What a model found: pairs in the order of their ids, links by cluster; `failures` are requests without
    an answer, `dropped` groups that can't be."""

    always: tuple[ExactPair, ...]
    context: tuple[ContextLink, ...]
    failures: tuple[Reject, ...] = ()
    dropped: tuple[Reject, ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """Entities that a model calls one, in the order of their ids."""

    members: tuple[EntityCard, ...]
    always: bool
    reason: str


def links_name(model: str) -> str:
    """What is recorded with a model's links: "model-links-1/MODEL/match-entities@1"."""
    return f"model-links-{LINKS_VERSION}/{model}/{_prompt().id}"


def model_links(
    model: Model,
    clusters: Clusters,
    cards: Mapping[str, EntityCard],
    claim_texts: Mapping[str, str],
) -> ModelLinks:
    """Pairs of entities that are one always, or within a cluster; the order of the input has no influence.

    A pair that is found to be one always is no contextual link as well. Literals, and entities without a
    card, are shown as ends of facts and never linked.

    Raises:
        ModelRefusedError: the endpoint refused for good.
        ModelUnavailableError: the endpoint does not answer.
        BudgetReachedError: the budget is spent; what was answered comes from the cache next time.
            Each of them says how many requests are left.
    """
    always: dict[tuple[str, str], str] = {}
    context: dict[tuple[str, str, str], str] = {}
    failures: list[Reject] = []
    dropped: list[Reject] = []
    apart = {cluster: kept_apart(facts) for cluster, facts in clusters.items()}
    batches = list(_batches(clusters, cards, claim_texts))
    requests = [_request(batch, cards, claim_texts) for batch in batches]
    for batch, outcome in zip(batches, _outcomes(model, requests), strict=True):
        place = f"{batch.cluster}, request {batch.number}"
        if isinstance(outcome, Failure):
            failures.append(Reject(place, f"links: {outcome.told}"))
            continue
        for group in _groups(batch, outcome):
            reason = group if isinstance(group, str) else _speaks_against(group, apart[batch.cluster])
            if isinstance(group, str) or reason:
                dropped.append(Reject(place, reason))
                continue
            evidence = f"{model.name}: {group.reason}" if group.reason else model.name
            ids = [member.id for member in group.members]
            if group.always:
                always.update((pair, evidence) for pair in ((ids[0], other) for other in ids[1:]))
            else:
                context.update(((*pair, batch.cluster), evidence) for pair in combinations(ids, 2))
    return ModelLinks(
        tuple(ExactPair(a, b, always[a, b]) for a, b in sorted(always)),
        tuple(
            ContextLink(a, b, cluster, CONTEXT_SCORE, context[a, b, cluster])
            for a, b, cluster in sorted(context, key=lambda link: (link[2], link[0], link[1]))
            if (a, b) not in always
        ),
        tuple(failures),
        tuple(dropped),
    )


@dataclass(frozen=True, slots=True)
class ModelLinkFinder:
    """The finder that asks the model called `model`; it is opened for each search, and closed after it."""

    model: str
    open_model: Callable[[], AbstractContextManager[Model]]

    @property
    def name(self) -> str:
        """What is recorded with its links."""
        return links_name(self.model)

    def find(
        self, clusters: Clusters, cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
    ) -> ModelLinks:
        """See `model_links`."""
        with self.open_model() as model:
            return model_links(model, clusters, cards, claim_texts)


def estimate_links(
    model: Model,
    clusters: Clusters,
    cards: Mapping[str, EntityCard],
    claim_texts: Mapping[str, str],
) -> Estimate:
    """What `model_links` would take, but for repairs of answers that were no JSON; nothing is sent."""
    batches = _batches(clusters, cards, claim_texts)
    return model.estimate(_request(batch, cards, claim_texts) for batch in batches)


def _outcomes(model: Model, requests: Sequence[ModelRequest]) -> Iterator[ModelOutcome]:
    """The outcomes in order; an error that ends them says how far they came."""
    came = 0
    try:
        for outcome in model.ask(requests):
            came += 1
            yield outcome
    except ModelError as error:
        left = len(requests) - came
        error.message += f" {came:,} of {len(requests):,} requests for links are answered, {left:,} are left."
        raise


def _prompt() -> Prompt:
    return load_prompt("match-entities")


def _batches(
    clusters: Clusters, cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
) -> Iterator[LinkBatch]:
    for cluster in sorted(clusters):
        yield from link_batches(cluster, clusters[cluster], cards, claim_texts)


def _request(
    batch: LinkBatch, cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
) -> ModelRequest:
    entities = [
        f"{n} {on_one_line(card.name)} ({card.type})" for n, card in enumerate(batch.entities, start=1)
    ]
    facts = [
        f"({_name(fact.subject, cards)}; {'not ' if fact.negated else ''}{on_one_line(fact.predicate)}; "
        f'{_name(fact.object, cards)}): "{on_one_line(claim_texts.get(fact.claim, ""))[:LONGEST_CLAIM]}"'
        for fact in batch.facts
    ]
    messages = _prompt().fill(
        entities=fenced("\n".join(entities), "entities"), facts=fenced("\n".join(facts), "facts")
    )
    room = 300 + 60 * len(batch.entities)
    return ModelRequest(messages, _prompt().id, GROUPS_SCHEMA, max_output_tokens=room)


def _name(entity: str, cards: Mapping[str, EntityCard]) -> str:
    return on_one_line(cards[entity].name) if entity in cards else "something else"


def _groups(batch: LinkBatch, outcome: ModelOutcome) -> Iterator[_Group | str]:
    """The groups of an answer; for one that is not made of listed entities, the reason."""
    value = None if isinstance(outcome, Failure) else outcome.value
    listing = value.get("groups") if isinstance(value, Mapping) else None
    for group in listing if isinstance(listing, Sequence) and not isinstance(listing, str) else ():
        yield _group(batch, group) if isinstance(group, Mapping) else "a group is no object"


def _group(batch: LinkBatch, group: Mapping[str, JsonValue]) -> _Group | str:
    listing, verdict, reason = group.get("members"), group.get("verdict"), group.get("reason")
    if verdict not in {"always", "context"}:
        return "the verdict of a group is neither always nor context"
    members: dict[str, EntityCard] = {}
    for member in listing if isinstance(listing, Sequence) and not isinstance(listing, str) else ():
        card = _listed(batch, member)
        if card is None:
            return "a group has a member that is not listed, or is listed with another name"
        members[card.id] = card
    if not 2 <= len(members) <= LARGEST_GROUP:
        return f"a group has {len(members)} members"
    said = on_one_line(reason)[:LONGEST_REASON] if isinstance(reason, str) else ""
    ordered = tuple(members[one] for one in sorted(members))
    # A description never stands for one thing in every text, whatever a model says.
    named = {card.type in NAMED_TYPES for card in ordered}
    return _Group(ordered, verdict == "always" and len(named) == 1, said)


def _listed(batch: LinkBatch, member: JsonValue) -> EntityCard | None:
    """The entity that a member names, if number and name agree."""
    number = member.get("number") if isinstance(member, Mapping) else None
    name = member.get("name") if isinstance(member, Mapping) else None
    if not isinstance(number, int) or isinstance(number, bool) or not isinstance(name, str):
        return None
    if not 1 <= number <= len(batch.entities):
        return None
    card = batch.entities[number - 1]
    return card if normal_form(name) == normal_form(card.name) else None


def _speaks_against(group: _Group, apart: set[tuple[str, str]]) -> str:
    """Why a group can't be one thing; empty if nothing speaks against it."""
    for one, other in combinations(group.members, 2):
        if ordered_pair(one.id, other.id) in apart:
            return f'"{one.name}" and "{other.name}" are called one, but a fact relates them as two'
        if not may_be_one(one, other):
            return f'"{one.name}" and "{other.name}" are called one, but types or numbers differ'
    return ""


_MEMBER = json_object(number={"type": "integer"}, name={"type": "string"})
_GROUP = json_object(
    members={"type": "array", "items": _MEMBER},
    verdict={"type": "string", "enum": ["always", "context"]},
    reason={"type": "string"},
)
GROUPS_SCHEMA = Schema("groups", json_object(groups={"type": "array", "items": _GROUP}))
