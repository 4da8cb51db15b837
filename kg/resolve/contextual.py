"""Contextual equivalence by rules: which entities are one thing within a cluster, though not everywhere.

GRADE (section 3.1, appendix A.2) asks a model; these rules are the offline baseline. They prefer a missed
link to a wrong one: each finds its partner in an index and links only where the cluster holds exactly one
candidate. Work is linear in the entities and facts of a cluster.

    partial name   a lone surname, or one end of an organisation's name, and the only full name
    role           "X is R" with a role phrase R of which more is told, and the only X that is R
    description    a noun phrase, and the only longer one that adds something after its head
    initials       an acronym that nobody declares, and the only name with these initials
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from kg.model import LITERAL_TYPES
from kg.resolve.cluster_context import ContextLink, EntityCard, Fact
from kg.resolve.name_shape import initials, is_acronym
from kg.resolve.normal_form import normal_form
from kg.resolve.type_families import PLACE_TYPES, VAGUE_TYPES, compatible
from kg.resolve.word_lists import (
    DETERMINERS,
    FUNCTION_WORDS,
    GENERIC_WORDS,
    OFFICE_WORDS,
    ORGANISATION_TAILS,
    PREPOSITIONS,
)

SURNAME_SCORE = 0.9
ROLE_SCORE = 0.85
SHORTENED_SCORE = 0.8
DESCRIPTION_SCORE = 0.8
INITIALS_SCORE = 0.75
SHORTEST_INITIALS = 3

IS_PREDICATES = frozenset(
    {"is", "was", "are", "were", "be", "has been", "is a", "was a", "is the", "was the", "became", "becomes"}
    | {"serves as", "served as", "works as", "worked as", "named", "appointed as", "elected"}
)
ALIAS_PREDICATES = frozenset({"also known as", "is also known as", "known as", "is known as", "alias"})


@dataclass(frozen=True, slots=True)
class _Entity:
    card: EntityCard
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Guess:
    one: _Entity
    other: _Entity
    score: float
    evidence: str


def contextual_links(
    cluster: str, entities: Sequence[EntityCard], facts: Sequence[Fact]
) -> list[ContextLink]:
    """Links between entities of one cluster, by (a, b); the order of the input has no influence.

    Two full names of people are never linked (no rule has two), nor are two entities that a fact connects
    by anything but "is" or "also known as".
    """
    known = {card.id: _Entity(card, tuple(normal_form(card.name).split())) for card in entities}
    named = [known[key] for key in sorted(known) if known[key].card.type not in LITERAL_TYPES]
    kept_apart = _kept_apart(facts)
    partial = [guess for guess in _partial_names(named) if _may_be_one(guess, kept_apart)]
    full_name = {guess.one.card.id: guess.other for guess in partial}
    others = [*_roles(known, facts, full_name), *_descriptions(named), *_initials(named)]
    best: dict[tuple[str, str], ContextLink] = {}
    for guess in [*partial, *(guess for guess in others if _may_be_one(guess, kept_apart))]:
        a, b = _pair(guess.one.card.id, guess.other.card.id)
        link = ContextLink(a, b, cluster, guess.score, guess.evidence)
        best[a, b] = max(link, best.get((a, b), link), key=lambda link: (link.score, link.evidence))
    return [best[pair] for pair in sorted(best)]


def _partial_names(entities: Sequence[_Entity]) -> list[_Guess]:
    """A short name and the only longer name that ends or starts with it."""
    ending = _index(entities, lambda entity: (entity.words[i:] for i in range(1, len(entity.words))))
    starting = _index(entities, lambda entity: (entity.words[:i] for i in range(1, len(entity.words))))
    guesses = []
    for short in entities:
        long = _only_partner(short, ending)
        if long and (score := _score_as_end(short, long)):
            evidence = f'only "{long.card.name}" ends with "{short.card.name}" here'
            guesses.append(_Guess(short, long, score, evidence))
        long = _only_partner(short, starting)
        if long and (score := _score_as_start(short, long)):
            evidence = f'only "{long.card.name}" starts with "{short.card.name}" here'
            guesses.append(_Guess(short, long, score, evidence))
    return guesses


def _only_partner(short: _Entity, index: Mapping[tuple[str, ...], list[_Entity]]) -> _Entity | None:
    """The entity under the words of `short`, if exactly one is of a compatible type."""
    partners = (one for one in index.get(short.words, ()) if compatible(short.card.type, one.card.type))
    first_two = list(islice(partners, 2))
    return first_two[0] if len(first_two) == 1 else None


def _score_as_end(short: _Entity, long: _Entity) -> float:
    """The score of a lone surname, or of two or more words that end an organisation's name; else 0.

    Not the "African Union" of "Leaders of the African Union", and no single word ("Samoa", "American Samoa").
    """
    if long.card.type == "PERSON" and short.card.type in {"PERSON", "MISC"}:
        return SURNAME_SCORE if len(short.words) == 1 and short.card.name[:1].isupper() else 0.0
    dropped = long.words[: -len(short.words)]
    fits = len(short.words) > 1 and dropped[-1] not in FUNCTION_WORDS | PREPOSITIONS
    return SHORTENED_SCORE if fits and _are_telling_organisations(short, long) else 0.0


def _score_as_start(short: _Entity, long: _Entity) -> float:
    """The score of "Barclays" beside "Barclays Bank", or of "Vellmouth" beside "Vellmouth, Harrow"; else 0.

    "Mexico" isn't "Mexico City", and "NASA" isn't "NASA Jet Propulsion Laboratory": a part isn't the whole.
    """
    if short.card.type in PLACE_TYPES and long.card.type in PLACE_TYPES:
        head, comma, _ = long.card.name.partition(",")
        return SHORTENED_SCORE if comma and tuple(normal_form(head).split()) == short.words else 0.0
    dropped = long.words[len(short.words) :]
    fits = ORGANISATION_TAILS.issuperset(dropped)
    return SHORTENED_SCORE if fits and _are_telling_organisations(short, long) else 0.0


def _are_telling_organisations(short: _Entity, long: _Entity) -> bool:
    """Whether both are organisations and the short name has a word that is not everybody's."""
    both = short.card.type == long.card.type == "ORG"
    return both and bool(set(short.words) - GENERIC_WORDS - FUNCTION_WORDS)


def _roles(
    known: Mapping[str, _Entity], facts: Sequence[Fact], full_name: Mapping[str, _Entity]
) -> Iterator[_Guess]:
    """A role phrase of which a fact tells more, and the only person or organisation that is said to be it.

    `full_name` holds the whole name for a short one, so that "Brel" and "Ana Brel" are one holder.
    """
    holders: defaultdict[str, dict[str, _Entity]] = defaultdict(dict)
    told_of: set[str] = set()
    for fact in facts:
        if fact.negated or _plain_predicate(fact) not in IS_PREDICATES:
            told_of |= {fact.subject, fact.object}
            continue
        told_of.add(fact.subject)
        holder, role = known.get(fact.subject), known.get(fact.object)
        if holder and role and role.card.type == "CONCEPT" and holder.card.type in {"PERSON", "ORG"}:
            whole = full_name.get(holder.card.id, holder)
            holders[role.card.id][whole.card.id] = whole
    for role_id in sorted(holders.keys() & told_of):
        role = known[role_id]
        if len(holders[role_id]) == 1:
            (holder,) = holders[role_id].values()
            if _stands_for(role, holder):
                evidence = f'only "{holder.card.name}" is "{role.card.name}" here'
                yield _Guess(holder, role, ROLE_SCORE, evidence)


def _stands_for(role: _Entity, holder: _Entity) -> bool:
    """Whether a role phrase tells enough: "harbour commissioner" does, "woman" doesn't.

    An office that many hold ("former president") does only if its holder is in all articles that name it.
    """
    content = _content(role.words)
    if len(content) < 2:
        return False
    return not OFFICE_WORDS.issuperset(content) or _is_always_beside(role, holder)


def _is_always_beside(phrase: _Entity, name: _Entity) -> bool:
    """Whether `name` stands in each article that has `phrase`."""
    articles = phrase.card.articles
    return bool(articles) and articles <= name.card.articles


def _descriptions(entities: Sequence[_Entity]) -> Iterator[_Guess]:
    """A noun phrase and the only longer one that goes on after it with a preposition.

    Only what follows the head may differ: words before it change the meaning ("deputy prime minister").
    After "of" the longer one must stand in every article that has the short one, because such a head means
    little without its complement ("the prime minister" is of some country).
    """
    concepts = [entity for entity in entities if entity.card.type == "CONCEPT"]
    index = _index(concepts, _phrases_before_prepositions)
    for short in concepts:
        words = _without_determiner(short.words)
        longer = index.get(words, [])
        if len(longer) != 1 or len(_content(words)) < 2:
            continue
        complement = _without_determiner(longer[0].words)[len(words)] == "of"
        if not complement or _is_always_beside(short, longer[0]):
            evidence = f'"{longer[0].card.name}" says more of "{short.card.name}"'
            yield _Guess(short, longer[0], DESCRIPTION_SCORE, evidence)


def _initials(entities: Sequence[_Entity]) -> Iterator[_Guess]:
    """An acronym of three letters or more and the only name with these initials."""
    index = _index(
        (entity for entity in entities if entity.card.type not in VAGUE_TYPES | {"PERSON"}),
        lambda entity: ((letters,) for letters in initials(entity.card.name)),
    )
    for short in entities:
        letters = short.card.name.replace(".", "").upper()
        if not is_acronym(short.card.name) or len(letters) < SHORTEST_INITIALS:
            continue
        longer = [one for one in index.get((letters,), ()) if compatible(short.card.type, one.card.type)]
        if len(longer) == 1:
            evidence = f'only "{longer[0].card.name}" has the initials "{letters}" here'
            yield _Guess(short, longer[0], INITIALS_SCORE, evidence)


def _index(
    entities: Iterable[_Entity], keys: Callable[[_Entity], Iterable[tuple[str, ...]]]
) -> dict[tuple[str, ...], list[_Entity]]:
    index: defaultdict[tuple[str, ...], list[_Entity]] = defaultdict(list)
    for entity in entities:
        for key in dict.fromkeys(keys(entity)):
            index[key].append(entity)
    return index


def _phrases_before_prepositions(entity: _Entity) -> Iterator[tuple[str, ...]]:
    words = _without_determiner(entity.words)
    return (words[:end] for end in range(1, len(words) - 1) if words[end] in PREPOSITIONS)


def _without_determiner(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[1:] if len(words) > 1 and words[0] in DETERMINERS else words


def _content(words: Iterable[str]) -> list[str]:
    ignored = FUNCTION_WORDS | PREPOSITIONS | DETERMINERS
    return [word for word in words if word not in ignored]


def _may_be_one(guess: _Guess, kept_apart: Collection[tuple[str, str]]) -> bool:
    a, b = _pair(guess.one.card.id, guess.other.card.id)
    return a != b and (a, b) not in kept_apart


def _kept_apart(facts: Sequence[Fact]) -> set[tuple[str, str]]:
    """Pairs of ids that a fact relates as two things, or denies to be one."""
    return {
        _pair(fact.subject, fact.object)
        for fact in facts
        if fact.negated or _plain_predicate(fact) not in IS_PREDICATES | ALIAS_PREDICATES
    }


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _plain_predicate(fact: Fact) -> str:
    return " ".join(fact.predicate.casefold().split())
