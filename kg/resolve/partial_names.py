"""Contextual rules for partial names: a lone surname, one end of an organisation's name, other word order."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from kg.resolve.context_guesses import Guess, NamedEntity, content_words, index_by, is_always_beside
from kg.resolve.name_shape import without_article
from kg.resolve.normal_form import normal_form
from kg.resolve.people import person_words
from kg.resolve.qualifiers import same_marks
from kg.resolve.type_families import PLACE_TYPES, VAGUE_TYPES, compatible
from kg.resolve.word_lists import (
    COMMON_WORDS,
    FUNCTION_WORDS,
    GENERIC_WORDS,
    ORGANISATION_TAILS,
    TRADES,
)
from kg.text.head_noun import PREPOSITIONS

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
