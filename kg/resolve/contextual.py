"""Contextual equivalence by rules: which entities are one thing within a cluster, though not everywhere.

GRADE (section 3.1, appendix A.2) asks a model; these rules are the offline baseline. They prefer a missed
link to a wrong one: each finds its partner in an index and links only where the cluster holds exactly one
candidate. Work is linear in the entities and facts of a cluster.

    partial name   a lone surname, or the start of an organisation's name, and the only full name
    role           "X is R" with a role phrase R, and the only X of whom it is said
    description    a noun phrase, and the only longer one that adds something after its head
    initials       an acronym that nobody declares, and the only name with these initials
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kg.model import LITERAL_TYPES
from kg.resolve.cluster_context import ContextLink, EntityCard, Fact
from kg.resolve.name_shape import initials, is_acronym
from kg.resolve.normal_form import normal_form
from kg.resolve.type_families import PLACE_TYPES, VAGUE_TYPES, compatible
from kg.resolve.word_lists import DETERMINERS, FUNCTION_WORDS, GENERIC_WORDS, PREPOSITIONS

SURNAME_SCORE = 0.9
ROLE_SCORE = 0.85
SHORTENED_SCORE = 0.8
DESCRIPTION_SCORE = 0.8
INITIALS_SCORE = 0.75

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

    Two full names of people with different surnames are never linked, nor are two entities that a fact
    connects by anything but "is" or "also known as".
    """
    known = {card.id: _Entity(card, tuple(normal_form(card.name).split())) for card in entities}
    named = [known[key] for key in sorted(known) if known[key].card.type not in LITERAL_TYPES]
    partial = _partial_names(named)
    guesses = [
        *partial,
        *_roles(known, facts, _full_names(partial)),
        *_descriptions(named),
        *_initials(named),
    ]
    kept_apart = _kept_apart(facts)
    best: dict[tuple[str, str], ContextLink] = {}
    for guess in guesses:
        a, b = sorted((guess.one.card.id, guess.other.card.id))
        if a == b or (a, b) in kept_apart or _different_people(guess.one, guess.other):
            continue
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
        if long and _is_surname(short, long):
            evidence = f'only "{long.card.name}" ends with "{short.card.name}" here'
            guesses.append(_Guess(short, long, SURNAME_SCORE, evidence))
        long = _only_partner(short, starting)
        if long and _is_shortened(short, long):
            evidence = f'only "{long.card.name}" starts with "{short.card.name}" here'
            guesses.append(_Guess(short, long, SHORTENED_SCORE, evidence))
    return guesses


def _only_partner(short: _Entity, index: Mapping[tuple[str, ...], list[_Entity]]) -> _Entity | None:
    """The entity under the words of `short`, if exactly one is of a compatible type."""
    partners = [one for one in index.get(short.words, ()) if compatible(short.card.type, one.card.type)]
    return partners[0] if len(partners) == 1 else None


def _is_surname(short: _Entity, long: _Entity) -> bool:
    """Whether `short` is the last word of a person's name; of unknown type it may be, but not in lower case."""
    fits = long.card.type == "PERSON" and short.card.type in {"PERSON", "MISC"}
    return fits and len(short.words) == 1 and short.card.name[:1].isupper()


def _is_shortened(short: _Entity, long: _Entity) -> bool:
    """Whether `short` is an organisation's name cut off, or "Vellmouth" beside "Vellmouth, Harrow".

    Places need the comma ("Mexico" isn't "Mexico City"), organisations a word that is not everybody's.
    """
    if short.card.type in PLACE_TYPES and long.card.type in PLACE_TYPES:
        head, comma, _ = long.card.name.partition(",")
        return bool(comma) and tuple(normal_form(head).split()) == short.words
    both_organisations = short.card.type == long.card.type == "ORG"
    return both_organisations and bool(set(short.words) - GENERIC_WORDS - FUNCTION_WORDS)


def _roles(
    known: dict[str, _Entity], facts: Sequence[Fact], full_name: dict[str, _Entity]
) -> Iterator[_Guess]:
    """A role phrase and the only person or organisation of whom it is said."""
    holders: defaultdict[str, dict[str, _Entity]] = defaultdict(dict)
    for fact in facts:
        if fact.negated or _plain_predicate(fact) not in IS_PREDICATES:
            continue
        holder, role = known.get(fact.subject), known.get(fact.object)
        if holder is None or role is None or not _is_role(role):
            continue
        if holder.card.type in {"PERSON", "ORG"}:
            whole = full_name.get(holder.card.id, holder)
            holders[role.card.id][whole.card.id] = whole
    for role_id in sorted(holders):
        if len(holders[role_id]) == 1:
            (holder,) = holders[role_id].values()
            role = known[role_id]
            evidence = f'only "{holder.card.name}" is "{role.card.name}" here'
            yield _Guess(holder, role, ROLE_SCORE, evidence)


def _is_role(entity: _Entity) -> bool:
    """Whether a phrase tells enough to stand for its holder: "harbour commissioner", not "woman"."""
    return entity.card.type == "CONCEPT" and len(_content(entity.words)) >= 2


def _full_names(partial: Iterable[_Guess]) -> dict[str, _Entity]:
    """The longer name for each short one, so that "Brel" and "Ana Brel" count as one holder of a role."""
    return {guess.one.card.id: guess.other for guess in partial}


def _descriptions(entities: Sequence[_Entity]) -> Iterator[_Guess]:
    """A noun phrase and the only longer one that goes on after it with a preposition.

    Only what follows the head may differ: words before it change the meaning ("deputy prime minister").
    """
    concepts = [entity for entity in entities if entity.card.type == "CONCEPT"]
    index = _index(concepts, _phrases_before_prepositions)
    for short in concepts:
        words = _without_determiner(short.words)
        longer = index.get(words, [])
        if len(longer) == 1 and len(_content(words)) >= 2:
            evidence = f'"{longer[0].card.name}" says more of "{short.card.name}"'
            yield _Guess(short, longer[0], DESCRIPTION_SCORE, evidence)


def _initials(entities: Sequence[_Entity]) -> Iterator[_Guess]:
    """An acronym and the only name with these initials; one of two letters needs the same type."""
    index = _index(
        (entity for entity in entities if entity.card.type not in VAGUE_TYPES | {"PERSON"}),
        lambda entity: [(letters,) for letters in initials(entity.card.name) if len(letters) > 1],
    )
    for short in entities:
        if not is_acronym(short.card.name):
            continue
        letters = short.card.name.replace(".", "").upper()
        longer = [one for one in index.get((letters,), ()) if compatible(short.card.type, one.card.type)]
        if len(longer) == 1 and (len(letters) > 2 or short.card.type == longer[0].card.type):
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


def _kept_apart(facts: Sequence[Fact]) -> set[tuple[str, str]]:
    """Pairs of ids that a fact relates as two things, or denies to be one."""
    pairs = set()
    for fact in facts:
        if fact.negated or _plain_predicate(fact) not in IS_PREDICATES | ALIAS_PREDICATES:
            a, b = sorted((fact.subject, fact.object))
            pairs.add((a, b))
    return pairs


def _plain_predicate(fact: Fact) -> str:
    return " ".join(fact.predicate.casefold().split())


def _different_people(one: _Entity, other: _Entity) -> bool:
    """Whether both are full names of people, with different surnames."""
    people = one.card.type == other.card.type == "PERSON"
    return people and len(one.words) > 1 < len(other.words) and one.words[-1] != other.words[-1]
