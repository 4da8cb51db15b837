"""How to look for a relation in text: the words that could tell it, and queries for them."""

import re
from collections.abc import Iterable
from functools import lru_cache

from lemminflect import getAllInflections, getLemma

from kg.resolve.word_lists import COMMON_WORDS
from services.questions.kinds.askable import PREPOSITIONS

_WORDS_OF_RELATIONS = """
accuse blame charge fault;
acquire buy own purchase take takeover owner ownership belong hold holding stake shareholder sell;
appoint name hire elect choose pick install succeed successor predecessor replace become new;
approve clear licence license authorise authorize pass green;
base headquarter headquarters locate location lie situate sit seat stand home office offices site house
capital north south east west rise flow host;
bear born birth native hail child raise grow;
build construct develop design invent make manufacture maker produce create discover engineer;
chair chairman chairwoman chairperson lead leader head run direct director manage manager govern governor
mayor president preside command captain coach train trainer oversee rule boss chief executive operate
operator organise organize owner;
compete play sign join rider ride row race member club team squad side represent appear;
discover find detect spot see discoverer discovery;
fund finance sponsor pay back support donor grant money invest investor donate sponsorship;
found establish founder foundation start set launch open create origin begin date;
marry wed husband wife spouse partner married widow widower;
study graduate educate attend degree student alumnus school train teach learn read pupil;
win winner victory victor champion beat take triumph title cup prize award receive;
work employ job serve staff engineer doctor nurse professor teach join employee;
criticise criticize attack blame slam condemn accuse complain;
brother sister cousin daughter son father mother sibling family child parent uncle aunt nephew niece;
test trial try prove experiment;
suspend ban bar expel sack fire dismiss clear
"""
_TELLING_THE_SAME = tuple(frozenset(group.split()) for group in _WORDS_OF_RELATIONS.split(";"))
"""Words by which news tell one relation; a gap is a gap only where none of them stands."""
_SHORTEST_NAME_WORD = 3
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=4_096)
def relation_words(key: str) -> frozenset[str]:
    """Every form of every word that could tell the relation of a predicate's key.

    None where nothing but a preposition or a number tells it: of "be in" or "be 1986".
    """
    own = _telling_part(key)
    groups = [group for group in _TELLING_THE_SAME if own & group]
    lemmas = own.union(*groups)
    forms = {form for lemma in lemmas for found in getAllInflections(lemma).values() for form in found}
    return frozenset(word for word in (*lemmas, *forms) if word.isalpha())


def same_relation(key: str, other: str) -> bool:
    """Whether two keys could tell the same relation, in either direction: "found" and "be founded by"."""
    return bool(relation_words(key) & _telling_part(other))


def words_query(names: Iterable[str], words: Iterable[str]) -> str:
    """A full-text query for what has a name's distinctive word, or the whole name, and one of the words.

    Only letters and digits go into it, so that nothing in a name can be read as the query's own signs. Empty
    where the names or the words hold neither: the server takes no query with nothing between its brackets.
    """
    terms, told = sorted(set(_name_terms(names))), sorted(words)
    return f"+({' OR '.join(terms)}) +({' OR '.join(told)})" if terms and told else ""


def words_pattern(words: Iterable[str]) -> str:
    """An expression that a text in lower case matches as a whole when it has one of the words."""
    return rf"(?s).*\b(?:{'|'.join(re.escape(word) for word in sorted(words))})\b.*"


def phrase(name: str) -> str:
    """A full-text query for the words of a name in their order."""
    return f'"{" ".join(_letters(name))}"'


@lru_cache(maxsize=65_536)
def _telling_part(key: str) -> frozenset[str]:
    """The verb of a key, or what "be" is said of: "found" of "be founded in", "sister" of "be sister of".

    The index knows "co-founded" by its parts.
    """
    verb, *rest = key.split() or [""]
    words = [part for word in (rest if verb == "be" else [verb]) for part in _WORD.findall(word)]
    lemmas = {lemma for word in words for lemma in (word, *getLemma(word, "VERB"))}
    return frozenset(word.casefold() for word in lemmas if word not in PREPOSITIONS)


def _name_terms(names: Iterable[str]) -> Iterable[str]:
    for name in names:
        words = _letters(name)
        if words:
            yield f'"{" ".join(words)}"'
        yield from (word for word in words if len(word) >= _SHORTEST_NAME_WORD and word not in COMMON_WORDS)


def _letters(name: str) -> list[str]:
    return re.findall(r"\w+", name.casefold())
