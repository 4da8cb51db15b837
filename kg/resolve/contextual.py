"""Contextual equivalence by rules: which entities are one thing within a cluster, though not everywhere.

GRADE (section 3.1, appendix A.2) asks a model; these rules are the offline baseline. They prefer a missed
link to a wrong one: each finds its partner in an index and links only where the cluster holds exactly one
candidate. Work is linear in the entities and facts of a cluster.

    partial name   a lone surname, or one end of an organisation's name, and the only full name
    role           "X is R" with a role phrase R of which more is told, and the only X that is R
    description    a noun phrase, and the only longer one that adds something after its head
    initials       an acronym that nobody declares, and the only name with these initials
    generic        "the company", and the only company that the phrase's article names in the cluster
    people         "Norwegian", and Norway
    neighbours     two phrases with a telling word in common of which two facts say the same
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from kg.model import LITERAL_TYPES
from kg.resolve.cluster_context import ContextLink, EntityCard, Fact
from kg.resolve.context_guesses import Guess, NamedEntity, content_words, index_by, is_always_beside
from kg.resolve.context_phrases import alike_by_neighbours, countries_of_peoples, generic_phrases
from kg.resolve.name_shape import initials, is_acronym
from kg.resolve.normal_form import normal_form
from kg.resolve.partial_names import partial_names
from kg.resolve.type_families import VAGUE_TYPES, compatible
from kg.resolve.word_lists import DETERMINERS, OFFICE_WORDS, PERSON_ENDINGS
from kg.text.head_noun import PREPOSITIONS, head_noun

_NO_HOLDERS = LITERAL_TYPES | {"CONCEPT"}
ROLE_SCORE = 0.85
DESCRIPTION_SCORE = 0.8
INITIALS_SCORE = 0.75
SHORTEST_INITIALS = 3

IS_PREDICATES = frozenset(
    {"is", "was", "are", "were", "be", "has been", "is a", "was a", "is the", "was the", "became", "becomes"}
    | {"serves as", "served as", "works as", "worked as", "named", "appointed as", "elected"}
)
HOLDS_PREDICATE = re.compile(
    r"\b(?:as|become|became|becomes|elected|appointed|sworn|served|serves|serving|succeeded)\b"
)
"""Predicates of whoever holds an office or held it; more than those by which a holder is found."""
ALIAS_PREDICATES = frozenset({"also known as", "is also known as", "known as", "is known as", "alias"})


def contextual_links(
    cluster: str, entities: Sequence[EntityCard], facts: Sequence[Fact]
) -> list[ContextLink]:
    """Links between entities of one cluster, by (a, b); the order of the input has no influence.

    Two full names of people are never linked (no rule has two), nor are two entities that a fact connects
    by anything but "is" or "also known as".
    """
    known = {card.id: NamedEntity(card, tuple(normal_form(card.name).split())) for card in entities}
    named = [known[key] for key in sorted(known) if known[key].card.type not in LITERAL_TYPES]
    kept_apart = _kept_apart(facts)
    partial = [guess for guess in partial_names(named) if _may_be_one(guess, kept_apart)]
    full_name = {guess.one.card.id: guess.other for guess in partial}
    others = [
        *_roles(known, facts, full_name),
        *_descriptions(named),
        *_initials(named),
        *generic_phrases(named),
        *countries_of_peoples(named),
        *alike_by_neighbours(known, facts),
    ]
    best: dict[tuple[str, str], ContextLink] = {}
    for guess in [*partial, *(guess for guess in others if _may_be_one(guess, kept_apart))]:
        a, b = _pair(guess.one.card.id, guess.other.card.id)
        link = ContextLink(a, b, cluster, guess.score, guess.evidence)
        best[a, b] = max(link, best.get((a, b), link), key=lambda link: (link.score, link.evidence))
    return [best[pair] for pair in sorted(best)]


def _roles(
    known: Mapping[str, NamedEntity], facts: Sequence[Fact], full_name: Mapping[str, NamedEntity]
) -> Iterator[Guess]:
    """A role phrase of which a fact tells more, and the only person or organisation that is said to be it.

    `full_name` holds the whole name for a short one, so that "Brel" and "Ana Brel" are one holder.
    """
    holders: defaultdict[str, dict[str, NamedEntity]] = defaultdict(dict)
    is_said: set[tuple[str, str]] = set()
    told_of: set[str] = set()
    for fact in facts:
        predicate = _plain_predicate(fact)
        is_it = not fact.negated and predicate in IS_PREDICATES
        told_of |= {fact.subject} if is_it else {fact.subject, fact.object}
        holder, role = known.get(fact.subject), known.get(fact.object)
        if holder and role and role.card.type == "CONCEPT" and holder.card.type not in _NO_HOLDERS:
            whole = full_name.get(holder.card.id, holder)
            if is_it:
                is_said.add((whole.card.id, role.card.id))
            if is_it or HOLDS_PREDICATE.search(predicate):
                holders[role.card.id][whole.card.id] = whole
    for role_id in sorted(holders.keys() & told_of):
        role = known[role_id]
        if len(holders[role_id]) == 1:
            (holder,) = holders[role_id].values()
            fits = holder.card.type in {"PERSON", "ORG"} and (holder.card.id, role_id) in is_said
            if fits and _stands_for(role, holder):
                evidence = f'only "{holder.card.name}" is "{role.card.name}" here'
                yield Guess(holder, role, ROLE_SCORE, evidence)


def _stands_for(role: NamedEntity, holder: NamedEntity) -> bool:
    """Whether a role phrase tells enough: "harbour commissioner" does, "woman" doesn't.

    An article without the holder may mean somebody else: "mayor of London" is not the same person for ever.
    """
    content = content_words(role.words)
    if len(content) < 2 or (holder.card.type == "PERSON" and not _names_a_person(role.words)):
        return False
    return is_always_beside(role, holder)


def _names_a_person(words: tuple[str, ...]) -> bool:
    """Whether a phrase's head is what a person can be: "harbour commissioner", not "research ship"."""
    head = head_noun(words)
    return head in OFFICE_WORDS or head.endswith(PERSON_ENDINGS)


def _descriptions(entities: Sequence[NamedEntity]) -> Iterator[Guess]:
    """A noun phrase and the only longer one that goes on after it with a preposition.

    Only what follows the head may differ: words before it change the meaning ("deputy prime minister").
    After "of" the longer one must stand in every article that has the short one, because such a head means
    little without its complement ("the prime minister" is of some country).
    """
    concepts = [entity for entity in entities if entity.card.type == "CONCEPT"]
    index = index_by(concepts, _phrases_before_prepositions)
    for short in concepts:
        words = _without_determiner(short.words)
        longer = index.get(words, [])
        if len(longer) != 1 or len(content_words(words)) < 2:
            continue
        complement = _without_determiner(longer[0].words)[len(words)] == "of"
        if not complement or is_always_beside(short, longer[0]):
            evidence = f'"{longer[0].card.name}" says more of "{short.card.name}"'
            yield Guess(short, longer[0], DESCRIPTION_SCORE, evidence)


def _initials(entities: Sequence[NamedEntity]) -> Iterator[Guess]:
    """An acronym of three letters or more and the only name with these initials."""
    index = index_by(
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
            yield Guess(short, longer[0], INITIALS_SCORE, evidence)


def _phrases_before_prepositions(entity: NamedEntity) -> Iterator[tuple[str, ...]]:
    words = _without_determiner(entity.words)
    return (words[:end] for end in range(1, len(words) - 1) if words[end] in PREPOSITIONS)


def _without_determiner(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[1:] if len(words) > 1 and words[0] in DETERMINERS else words


def _may_be_one(guess: Guess, kept_apart: Collection[tuple[str, str]]) -> bool:
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
