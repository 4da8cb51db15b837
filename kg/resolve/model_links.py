"""Equivalent entities by a model that reads facts and claims of a cluster (GRADE, sections 3.1 and A.9).

The model gives a verdict for each proposed pair. Nothing is believed that the facts speak against, since such
pairs are never proposed; and what an office or another description stands for is never more than context.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from kg.errors import ModelError
from kg.llm.prompts import Prompt, fence, load_prompt, on_one_line
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
from kg.model import Reject
from kg.progress import Progress
from kg.resolve.cluster_context import ContextLink, EntityCard, ExactPair, Fact, FoundLinks
from kg.resolve.contextual import ordered_pair
from kg.resolve.link_batches import (
    LONGEST_CLAIM,
    PAIRS_A_REQUEST,
    Clusters,
    LinkBatch,
    LinkPair,
    link_batches,
)
from kg.resolve.pair_likeness import is_common, is_description, is_role

LINKS_VERSION = 5
CONTEXT_SCORE = 0.8
"""The score of a contextual link by a model: a rank between those of the rules, no measured frequency."""
LONGEST_REASON = 160
BEFORE_A_NAME = 120
"""Letters of a long claim that are shown before the first name of its facts."""

VERDICTS = ("always", "context", "different")
ANSWER_TOKENS_A_PAIR = 34
"""What a verdict with its reason takes as JSON."""
PAIRS_A_SENTENCE = 0.4

_MODEL_BEFORE = re.compile(r'^[^\s"]+: ')
_NUMBER_LIST = r"\d+(?:(?:, | and |, and |-|\u2013)\d+)*"
_NUMBERED = re.compile(
    rf"(?<![ ,])[ ,]*(?:\b(?:in|of|by|from|per|see) )?"
    rf"(?:\b(?:statement|pair|sentence)s? {_NUMBER_LIST}\b|\[\d+\])",
    re.IGNORECASE,
)

_USUAL_NAME = "Averell Harbour Museum"
_USUAL_PREDICATE = "sold old lamp to"
_USUAL_CLAIM = (
    "On 30 April 2027, Oda Wexler, the keeper of the Brinmoor lighthouse, sold the old lamp to the museum of "
    "the town, which had asked for it two years before that day."
)


def links_name(model: str) -> str:
    """What is recorded with a model's links: "model-links-5/MODEL/match-entities@4"."""
    return f"model-links-{LINKS_VERSION}/{model}/{_prompt().id}"


def model_links(
    model: Model,
    clusters: Clusters,
    cards: Mapping[str, EntityCard],
    claim_texts: Mapping[str, str],
    progress: Progress,
) -> FoundLinks:
    """Pairs of entities that are one always, or within a cluster; the order of the input has no influence.

    A pair that is found to be one always is no contextual link as well. A description that is said to stand
    for two names of one cluster stands for neither. Literals, and entities without a card, are shown as ends
    of facts and never linked.

    Raises:
        ModelRefusedError: the endpoint refused for good.
        ModelUnavailableError: the endpoint does not answer.
        BudgetReachedError: the budget is spent; what was answered comes from the cache next time.
            Each of them says how many requests are left.
    """
    batches = link_batches(clusters, cards, claim_texts)
    requests = [links_request(batch, cards, claim_texts) for batch in batches]
    progress.step("links by a model, requests", len(requests))
    found = _LinkVerdicts(cards, model.name)
    for number, (batch, outcome) in enumerate(zip(batches, _outcomes(model, requests), strict=True), start=1):
        progress.advance()
        place = f"request {number}"
        if isinstance(outcome, Failure):
            found.failures.append(Reject(place, f"links: {outcome.message}"))
        else:
            found.take(place, batch, outcome.value)
    return found.links()


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
        self,
        clusters: Clusters,
        cards: Mapping[str, EntityCard],
        claim_texts: Mapping[str, str],
        progress: Progress,
    ) -> FoundLinks:
        """See `model_links`."""
        with self.open_model() as model:
            return model_links(model, clusters, cards, claim_texts, progress)


def estimate_links(
    model: Model,
    clusters: Clusters,
    cards: Mapping[str, EntityCard],
    claim_texts: Mapping[str, str],
) -> Estimate:
    """What `model_links` would take, but for repairs of answers that were no JSON; nothing is sent."""
    batches = link_batches(clusters, cards, claim_texts)
    return model.estimate(links_request(batch, cards, claim_texts) for batch in batches)


def expected_links(model: Model, sentences: int) -> Estimate:
    """What `model_links` may take for articles of so many sentences, before anything of them is known.

    It goes by what ten news articles about three affairs took: so many pairs a sentence, claims so long.
    """
    left = int(sentences * PAIRS_A_SENTENCE)
    sizes = [PAIRS_A_REQUEST] * (left // PAIRS_A_REQUEST) + [left % PAIRS_A_REQUEST]
    return model.estimate(_usual_request(place, pairs) for place, pairs in enumerate(sizes) if pairs)


def _usual_request(place: int, pairs: int) -> ModelRequest:
    """A request of the usual length; `place` makes it unlike any other, which the cache would take it for."""
    claims = [f"{place}.{number}" for number in range(max(1, pairs))]
    facts = [
        Fact(f"{claim}.{number}", "", _USUAL_PREDICATE, "", claim) for claim in claims for number in (1, 2)
    ]
    card = EntityCard("", _USUAL_NAME, "ORG")
    cases = tuple(
        LinkPair("", "", (facts[2 * number], facts[2 * number + 1]), ()) for number in range(len(claims))
    )
    return links_request(LinkBatch(cases), {"": card}, dict.fromkeys(claims, f"{place} {_USUAL_CLAIM}"))


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


def links_request(
    batch: LinkBatch, cards: Mapping[str, EntityCard], claim_texts: Mapping[str, str]
) -> ModelRequest:
    """Whether the two entities of each pair are one thing, by the facts of the pairs."""
    texts = {claim: on_one_line(claim_texts.get(claim, "")) for claim in batch.claims}
    by_text = {text: number for number, text in enumerate(dict.fromkeys(texts.values()), start=1)}
    numbers = {claim: by_text[text] for claim, text in texts.items()}
    facts: defaultdict[int, dict[str, Fact]] = defaultdict(dict)
    for pair in batch.pairs:
        for fact in pair.facts:
            facts[numbers[fact.claim]][fact.id] = fact
    statements = []
    for text, number in by_text.items():
        told = dict.fromkeys(_fact_line(fact, cards) for _, fact in sorted(facts[number].items()))
        statements.append(f"[{number}] {_excerpt(text, facts[number].values(), cards)}")
        statements += [f"    {line}" for line in told]
    pairs = [_pair_line(place, pair, cards, numbers) for place, pair in enumerate(batch.pairs, start=1)]
    messages = _prompt().fill(
        statements=fence("\n".join(statements), "statements"),
        pairs=fence("\n".join(pairs), "pairs"),
        numbers=f"pairs 1-{len(pairs)}" if len(pairs) > 1 else "pair 1",
    )
    return ModelRequest(
        messages,
        _prompt().id,
        PAIRS_SCHEMA,
        max_output_tokens=300 + 80 * len(pairs),
        expected_output_tokens=10 + ANSWER_TOKENS_A_PAIR * len(pairs),
    )


def _excerpt(text: str, facts: Iterable[Fact], cards: Mapping[str, EntityCard]) -> str:
    """A claim, or of a long one the words around the names of its facts, with "..." for what is left out."""
    line = on_one_line(text)
    if len(line) <= LONGEST_CLAIM:
        return line
    lowered = line.casefold()
    ends = {_name(end, cards) for fact in facts for end in (fact.subject, fact.object) if end in cards}
    first = min((place for end in ends if (place := lowered.find(end.casefold())) >= 0), default=0)
    # What stands before the first name tells what is said of it.
    start = max(0, min(first - BEFORE_A_NAME, len(line) - LONGEST_CLAIM))
    start = line.find(" ", start) + 1 if start else 0
    end = start + LONGEST_CLAIM
    end = len(line) if end >= len(line) else line.rfind(" ", start, end)
    shown = line[start : end if end > start else start + LONGEST_CLAIM]
    return f"{'... ' if start else ''}{shown}{' ...' if start + len(shown) < len(line) else ''}"


def _fact_line(fact: Fact, cards: Mapping[str, EntityCard]) -> str:
    told = (_name(fact.subject, cards), on_one_line(fact.predicate), _name(fact.object, cards))
    return f"{' | '.join(told)}{' (denied)' if fact.negated else ''}"


def _pair_line(
    place: int, pair: LinkPair, cards: Mapping[str, EntityCard], numbers: Mapping[str, int]
) -> str:
    both = " and ".join(f'"{on_one_line(cards[one].name)}" ({cards[one].type})' for one in (pair.a, pair.b))
    told = sorted({numbers[fact.claim] for fact in pair.facts})
    return f"{place}. {both}: statement{'s' if len(told) > 1 else ''} {', '.join(map(str, told))}"


def plain_reason(evidence: str) -> str:
    """Why two names are one, for readers who know neither models nor requests: "" where only a model says so.

    A model's link has the model's name before its reason; the reasons of rules have none.
    """
    reason = "" if " " not in evidence else _MODEL_BEFORE.sub("", evidence)
    return _without_numbers(reason)


def _without_numbers(reason: str) -> str:
    """A reason without the numbers of statements and pairs in the request; "" where it begins with these."""
    rest = _NUMBERED.sub("", reason).replace("()", "")
    return "" if _NUMBERED.match(reason) else " ".join(rest.split()).strip(" ,;:")


def _name(entity: str, cards: Mapping[str, EntityCard]) -> str:
    return on_one_line(cards[entity].name) if entity in cards else "something else"


def _says_what(card: EntityCard) -> bool:
    """Whether a name only says what something or somebody is, whatever was asked about it."""
    return is_description(card) or is_role(card)


def _is_bound(card: EntityCard) -> bool:
    """Whether a name stands for something else in another article: a description, and "the Senate"."""
    return _says_what(card) or is_common(card)


@dataclass(slots=True)
class _LinkVerdicts:
    """Verdicts as they come: pairs that are always one, and those that are one in a cluster."""

    cards: Mapping[str, EntityCard]
    model: str
    always: dict[tuple[str, str], str] = field(default_factory=dict)
    context: dict[tuple[str, str, str], str] = field(default_factory=dict)
    failures: list[Reject] = field(default_factory=list)
    dropped: list[Reject] = field(default_factory=list)

    def take(self, place: str, batch: LinkBatch, value: JsonValue) -> None:
        """The verdicts of an answer; what was left out or answered in two ways counts as different."""
        verdicts, wrong = _verdicts(value, len(batch.pairs))
        for number, pair in enumerate(batch.pairs, start=1):
            verdict, reason = verdicts.get(number, ("", ""))
            reason = _without_numbers(reason)
            evidence = f"{self.model}: {reason}" if reason else self.model
            if not verdict:
                wrong["no verdict for a pair"] += 1
            elif verdict == "always" and not any(map(_is_bound, (self.cards[pair.a], self.cards[pair.b]))):
                self.always.setdefault((pair.a, pair.b), evidence)
            elif verdict != "different":
                self.context.update({(pair.a, pair.b, cluster): evidence for cluster in pair.clusters})
        self.dropped += [
            Reject(place, f"links: {why}" + (f" ({times} times)" if times > 1 else ""))
            for why, times in sorted(wrong.items())
        ]

    def links(self) -> FoundLinks:
        """What is left when each description stands for one thing at most."""
        contested = set(self._contested_pairs())
        self.dropped += [
            Reject(cluster, f'links: "{self.cards[one].name}" would stand for several names')
            for cluster, one in sorted(contested)
        ]
        return FoundLinks(
            tuple(ExactPair(a, b, self.always[a, b]) for a, b in sorted(self.always)),
            tuple(
                ContextLink(a, b, cluster, CONTEXT_SCORE, self.context[a, b, cluster])
                for a, b, cluster in sorted(self.context, key=lambda link: (link[2], link[0], link[1]))
                if (a, b) not in self.always and not {(cluster, a), (cluster, b)} & contested
            ),
            tuple(self.failures),
            tuple(self.dropped),
        )

    def _contested_pairs(self) -> Iterator[tuple[str, str]]:
        """Clusters and descriptions for which two names are given that aren't one themselves."""
        names: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for a, b, cluster in self.context:
            for one, other in ((a, b), (b, a)):
                if _says_what(self.cards[one]):
                    names[cluster, one].add(other)
        for (cluster, one), others in names.items():
            if any(
                ordered_pair(name, other) not in self.always
                and (*ordered_pair(name, other), cluster) not in self.context
                for name in others
                for other in others - {name}
            ):
                yield cluster, one


def _verdicts(value: JsonValue, pairs: int) -> tuple[dict[int, tuple[str, str]], Counter[str]]:
    """Verdict and reason by the number of the pair, and what of the answer can't be taken."""
    found: dict[int, tuple[str, str]] = {}
    wrong: Counter[str] = Counter()
    listing = value.get("pairs") if isinstance(value, Mapping) else None
    for item in listing if isinstance(listing, Sequence) and not isinstance(listing, str) else ():
        number = item.get("number") if isinstance(item, Mapping) else None
        verdict = item.get("verdict") if isinstance(item, Mapping) else None
        reason = item.get("reason") if isinstance(item, Mapping) else None
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= pairs:
            wrong["a verdict for a pair that nobody asked about"] += 1
        elif not isinstance(verdict, str) or verdict not in VERDICTS:
            wrong["a verdict that there isn't"] += 1
        elif found.get(number, (verdict,))[0] != verdict:
            found[number] = "different", ""
            wrong["two verdicts for one pair"] += 1
        else:
            found[number] = verdict, on_one_line(reason)[:LONGEST_REASON] if isinstance(reason, str) else ""
    return found, wrong


_PAIR = json_object(
    number={"type": "integer"},
    reason={"type": "string"},
    verdict={"type": "string", "enum": list(VERDICTS)},
)
PAIRS_SCHEMA = Schema("pairs", json_object(pairs={"type": "array", "items": _PAIR}))
