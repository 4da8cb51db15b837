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

Contextual rules for phrases: "the company", a people and its country, phrases with the same neighbours.

Contextual rules for partial names: a lone surname, one end of an organisation's name, other word order.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from types import MappingProxyType

from kg.model import LITERAL_TYPES, PLACE_TYPES, REGION_TYPES, EntityType
from kg.resolve.cluster_context import (
    ContextLink,
    EntityCard,
    Fact,
    Guess,
    NamedEntity,
    content_words,
    index_by,
    is_always_beside,
    share_an_article,
)
from kg.resolve.name_pool import VAGUE_TYPES, compatible, same_marks
from kg.resolve.normal_form import (
    COMMON_WORDS,
    DETERMINERS,
    FUNCTION_WORDS,
    GENERIC_WORDS,
    OFFICE_WORDS,
    ORGANISATION_TAILS,
    PERSON_ENDINGS,
    TRADES,
    initials,
    is_acronym,
    normal_form,
    without_article,
)
from kg.resolve.people import person_words
from kg.text.lexicon import countries
from kg.text.words import PREPOSITIONS, head_noun

SURNAME_SCORE = 0.9
SHORTENED_SCORE = 0.8
LONE_WORD_SCORE = 0.75
WORD_ORDER_SCORE = 0.8
_HEADED = frozenset({"ORG", "FAC", "EVENT", "PRODUCT"})


def partial_names(entities: Sequence[NamedEntity]) -> list[Guess]:
    """A short name and the only longer name that ends or starts with it; names turned round.

    A name that ends one and starts another ("Brel" for Ana Brel and for Brel Foods) may be either.
    """
    ending = index_by(entities, lambda entity: (entity.words[i:] for i in range(1, len(entity.words))))
    starting = index_by(entities, lambda entity: (entity.words[:i] for i in range(1, len(entity.words))))
    guesses = []
    for short in entities:
        ended = _only_partner(short, _bare(short), ending)
        started = _only_partner(short, short.words, starting)
        found = []
        if ended and (score := _score_as_end(short, ended)):
            evidence = f'only "{ended.card.name}" ends with "{short.card.name}" here'
            found.append(Guess(short, ended, score, evidence))
        if started and (score := _score_as_start(short, started)):
            evidence = f'only "{started.card.name}" starts with "{short.card.name}" here'
            found.append(Guess(short, started, score, evidence))
        if len(found) == 1:
            guesses += found
    return [*guesses, *_turned_round(entities)]


def _bare(short: NamedEntity) -> tuple[str, ...]:
    """The words of a name without a person's titles."""
    return person_words(" ".join(short.words)) if short.card.type == "PERSON" else short.words


def _only_partner(
    short: NamedEntity, words: tuple[str, ...], index: Mapping[tuple[str, ...], list[NamedEntity]]
) -> NamedEntity | None:
    """The entity under `words`, if exactly one other is of a compatible type."""
    partners = (
        one
        for one in index.get(words, ())
        if one.card.id != short.card.id and compatible(short.card.type, one.card.type)
    )
    first_two = list(islice(partners, 2))
    return first_two[0] if len(first_two) == 1 else None


def _score_as_end(short: NamedEntity, long: NamedEntity) -> float:
    """The score of a lone surname, or of what ends an organisation's name; else 0.

    Not the "African Union" of "Leaders of the African Union". A single word ("the Observatory") or a name of
    common words ("Supreme Court") means something else in another article: the whole name must stand in all
    that have it. A single word never names a place ("Samoa", "American Samoa").
    """
    bare = _bare(short)
    if long.card.type == "PERSON" and short.card.type in {"PERSON", "MISC"}:
        lone = len(bare) == 1 and short.card.name[:1].isupper() and len(_bare(long)) > 1
        return SURNAME_SCORE if lone and same_marks(short.card.name, long.card.name) else 0.0
    dropped = long.words[: -len(bare)]
    if dropped[-1] in FUNCTION_WORDS | PREPOSITIONS or not same_marks(short.card.name, long.card.name):
        return 0.0
    beside = is_always_beside(short, long)
    if len(bare) > 1:
        fits = _are_telling_organisations(short, long) and (beside or not COMMON_WORDS.issuperset(bare))
        return SHORTENED_SCORE if fits else 0.0
    named = without_article(short.card.name)[:1].isupper() and short.card.type not in VAGUE_TYPES
    return LONE_WORD_SCORE if named and beside and long.card.type in _HEADED else 0.0


def _score_as_start(short: NamedEntity, long: NamedEntity) -> float:
    """The score of "Barclays" beside "Barclays Bank", or of "Vellmouth" beside "Vellmouth, Harrow"; else 0.

    "Mexico" isn't "Mexico City", and "NASA" isn't "NASA Jet Propulsion Laboratory": a part isn't the whole.
    """
    if short.card.type in PLACE_TYPES and long.card.type in PLACE_TYPES:
        head, comma, _ = long.card.name.partition(",")
        return SHORTENED_SCORE if comma and tuple(normal_form(head).split()) == short.words else 0.0
    dropped = long.words[len(short.words) :]
    fits = (ORGANISATION_TAILS | TRADES).issuperset(dropped)
    return SHORTENED_SCORE if fits and _are_telling_organisations(short, long) else 0.0


def _are_telling_organisations(short: NamedEntity, long: NamedEntity) -> bool:
    """Whether both are organisations and the short name has a word that is not everybody's."""
    both = short.card.type == long.card.type == "ORG"
    return both and bool(set(short.words) - GENERIC_WORDS - FUNCTION_WORDS)


def _turned_round(entities: Sequence[NamedEntity]) -> Iterator[Guess]:
    """ "Vell University" and "University of Vell", where the cluster has these two only.

    Within one story that is the same university; over a corpus Washington has two.
    """
    organisations = [one for one in entities if one.card.type in {"ORG", "FAC"} and len(one.words) > 1]
    same_words = index_by(organisations, lambda one: [tuple(sorted(content_words(one.words)))])
    for words, found in same_words.items():
        if len(found) == 2 and len(words) > 1 and len({"of" in one.words for one in found}) == 2:
            evidence = f'"{found[0].card.name}" has the words of "{found[1].card.name}"'
            yield Guess(found[0], found[1], WORD_ORDER_SCORE, evidence)


GENERIC_SCORE = 0.7
PEOPLE_SCORE = 0.75
NEIGHBOURS_SCORE = 0.7
FEWEST_SHARED = 2
MOST_WITH_ONE_NEIGHBOUR = 8
"""Entities of which one fact says the same: among more, that tells nothing."""
_SHORTEST_WORD = 4

_NOUNS_OF_TYPE: dict[EntityType, str] = {
    "ORG": """company firm corporation manufacturer airline bank club team charity foundation university
        college agency ministry hospital newspaper union retailer supplier carrier brewery""",
    "FAC": "hospital clinic stadium airport bridge museum observatory station theatre",
    "GPE": "city town village country",
    "LOC": "island river lake mountain volcano",
    "WORK": "film movie book novel album song play",
    "PRODUCT": "ship vessel satellite spacecraft aircraft telescope drug vaccine rocket",
    "EVENT": "tournament cup race festival hurricane typhoon",
}
_NOUNS: Mapping[EntityType, frozenset[str]] = MappingProxyType(
    {kind: frozenset(nouns.split()) for kind, nouns in _NOUNS_OF_TYPE.items()}
)


def generic_phrases(entities: Sequence[NamedEntity]) -> Iterator[Guess]:
    """ "The company" and the only company of its article, where the phrase stands in one article.

    A phrase that several articles use is one node for all of them, and what one article means by it must not
    be mirrored to the others.
    """
    by_article: defaultdict[str, list[NamedEntity]] = defaultdict(list)
    for entity in entities:
        if entity.card.type not in {"CONCEPT", "MISC"}:
            for article in entity.card.articles:
                by_article[article].append(entity)
    for phrase in entities:
        words = content_words(phrase.words)
        if phrase.card.type != "CONCEPT" or len(words) != 1 or len(phrase.card.articles) != 1:
            continue
        (article,) = phrase.card.articles
        kinds = {kind for kind, nouns in _NOUNS.items() if words[0] in nouns}
        fitting = [one for one in by_article[article] if one.card.type in kinds]
        if len(fitting) == 1:
            evidence = f'only "{fitting[0].card.name}" can be "{phrase.card.name}" in its article'
            yield Guess(fitting[0], phrase, GENERIC_SCORE, evidence)


def countries_of_peoples(entities: Sequence[NamedEntity]) -> Iterator[Guess]:
    """ "Norwegian" and Norway, where one article has both.

    Only within a cluster: a people, its language and its state are not one thing everywhere, and some words
    stand for several ("Korean", "Congolese").
    """
    places = {one.words: one for one in entities if one.card.type in REGION_TYPES}
    country_of = {normal_form(word): country for word, country in countries().items()}
    for people in entities:
        if people.card.type != "NORP":
            continue
        word = " ".join(people.words)
        country = country_of.get(word) or country_of.get(word.removesuffix("s"))
        place = places.get(tuple(normal_form(country).split())) if country else None
        if place and share_an_article(people, place):
            evidence = f'"{people.card.name}" is what belongs to "{place.card.name}"'
            yield Guess(people, place, PEOPLE_SCORE, evidence)


def alike_by_neighbours(known: Mapping[str, NamedEntity], facts: Sequence[Fact]) -> Iterator[Guess]:
    """Two phrases with a telling word in common, of which at least two facts of the cluster say the same.

    Facts say the same if they have the predicate and the other end in common. At least one of the two must be
    a phrase, since two names with common neighbours are rather two things of a kind.
    """
    ends: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for fact in facts:
        if not fact.negated:
            predicate = " ".join(fact.predicate.casefold().split())
            ends["from", predicate, fact.object].add(fact.subject)
            ends["to", predicate, fact.subject].add(fact.object)
    shared: Counter[tuple[str, str]] = Counter()
    for found in ends.values():
        if 1 < len(found) <= MOST_WITH_ONE_NEIGHBOUR:
            shared.update(combinations(sorted(found & known.keys()), 2))
    for (a, b), count in sorted(shared.items()):
        one, other = known[a], known[b]
        if count >= FEWEST_SHARED and _are_alike(one, other):
            evidence = f'{count} facts say the same of "{one.card.name}" and "{other.card.name}"'
            yield Guess(one, other, NEIGHBOURS_SCORE, evidence)


def _are_alike(one: NamedEntity, other: NamedEntity) -> bool:
    types = {one.card.type, other.card.type}
    telling = {word for word in content_words(one.words) if len(word) >= _SHORTEST_WORD}
    common = telling & set(content_words(other.words))
    fits = "CONCEPT" in types and not types & {"DATE", "NUMBER", "PERSON"}
    return fits and bool(common) and same_marks(one.card.name, other.card.name)


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
    kept_apart = distinct_pairs(facts)
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
        a, b = ordered_pair(guess.one.card.id, guess.other.card.id)
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
    a, b = ordered_pair(guess.one.card.id, guess.other.card.id)
    return a != b and (a, b) not in kept_apart


def distinct_pairs(facts: Iterable[Fact]) -> set[tuple[str, str]]:
    """Pairs of ids that a fact relates as two things, or denies to be one."""
    return {
        ordered_pair(fact.subject, fact.object)
        for fact in facts
        if fact.negated or _plain_predicate(fact) not in IS_PREDICATES | ALIAS_PREDICATES
    }


def ordered_pair(one: str, other: str) -> tuple[str, str]:
    """Two ids, the smaller first."""
    return (one, other) if one < other else (other, one)


def _plain_predicate(fact: Fact) -> str:
    return " ".join(fact.predicate.casefold().split())
