"""Which predicates make a question that reads as English and means one thing.

How to look for a relation in text: the words that could tell it, and queries for them.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from kg.queries import query
from kg.resolve.normal_form import COMMON_WORDS
from kg.store.graph import Graph
from kg.text import inflection
from services.questions.lasting import fleeting
from services.questions.predicate_key import predicate_key
from services.questions.wording.doubts import scene
from services.questions.wording.predicates import wordable

_PREPOSITION_WORDS = (
    "of in on at by for with from to into under after against near between through within over"
)
PREPOSITIONS = frozenset(_PREPOSITION_WORDS.split())
DATE_PREPOSITIONS = frozenset({"on", "in", "at"})

_VAGUE_WORDS = """
ask bring call can come could do feel find get give go have hear keep know let look make mean may might
must name need not never no put say see seem set should show speak spend stand start take talk tell think
try turn use want would welcome plan expect report carry
"""
_VAGUE = frozenset(_VAGUE_WORDS.split())
"""Verbs that say too little, or that something was only said, and what begins a denial or a mere may-be."""
_VAGUE_STATE_WORDS = """
asked called expected had hoped known meant named planned reported said sold supposed thought told
"""
_VAGUE_STATES = frozenset(_VAGUE_STATE_WORDS.split())
_MOST_EVENT_WORDS = 6


def asks_well(predicate: str) -> bool:
    """Whether a short question can be made of it: a verb that lasts, one with a preposition, or "is ... of".

    What takes names or nouns along ("supplies ball of", "took charge of the Mariners on") is left out.
    """
    if not wordable(predicate) or not predicate.islower() or not _is_plain(predicate):
        return False
    if scene(predicate) or fleeting(predicate):
        return False
    verb, *rest = predicate_key(predicate).split()
    if verb in _VAGUE:
        return False
    if verb == "be":
        return _tells_state(rest)
    return not rest or (len(rest) == 1 and rest[0] in PREPOSITIONS)


def tells_event(predicate: str) -> bool:
    """Whether a fact with a date reads as an event without it: "was approved on", "won Averell Cup on"."""
    *words, last = predicate.split() or [""]
    if last not in DATE_PREPOSITIONS or not 0 < len(words) <= _MOST_EVENT_WORDS or "'" in predicate:
        return False
    verb, *rest = predicate_key(predicate).split()[:-1]
    if verb == "be":
        return bool(rest) and rest[0] not in _VAGUE_STATES and not {"not", "never"} & set(rest)
    # "Took place in 2031" and "came on Monday" tell what happened only together with what stands before.
    return (verb not in _VAGUE or (verb == "take" and len(rest) > 1)) and wordable(predicate)


def list_askable(graph: Graph, corpus: str, fewest: int, limit: int) -> list[str]:
    """The predicates of a corpus that ask well, the commonest `limit` keys at most, with all their tenses.

    A key counts when `fewest` subjects have one of its predicates.
    """
    subjects: dict[str, int] = {}
    predicates: dict[str, list[str]] = {}
    for row in graph.stream(query("facts/list_predicates"), corpus=corpus, limit=50 * limit):
        predicate = row["predicate"]
        if asks_well(predicate):
            key = predicate_key(predicate)
            subjects[key] = subjects.get(key, 0) + row["subjects"]
            predicates.setdefault(key, []).append(predicate)
    commonest = sorted(
        (key for key in subjects if subjects[key] >= fewest), key=lambda key: (-subjects[key], key)
    )
    return [predicate for key in commonest[:limit] for predicate in predicates[key]]


def without_date_preposition(predicate: str) -> str:
    """ "was approved on" as "was approved"."""
    words = predicate.split()
    return " ".join(words[:-1] if words[-1:] and words[-1] in DATE_PREPOSITIONS else words)


def _tells_state(rest: Sequence[str]) -> bool:
    """ "Headquartered in", "sister of", "chief physician of"; not a bare "is" nor "is thought to"."""
    if len(rest) not in {2, 3} or rest[-1] not in PREPOSITIONS or rest[0] in _VAGUE_STATES | {"not", "never"}:
        return False
    return len(rest) == 2 or rest[-1] in {"of", "to"}


def _is_plain(predicate: str) -> bool:
    return all(word.isalpha() or "-" in word for word in predicate.split())


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
    forms = {form for lemma in lemmas for form in inflection.all_forms(lemma)}
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
    lemmas = {lemma for word in words for lemma in (word, *inflection.lemmas(word, "VERB"))}
    return frozenset(word.casefold() for word in lemmas if word not in PREPOSITIONS)


def _name_terms(names: Iterable[str]) -> Iterable[str]:
    for name in names:
        words = _letters(name)
        if words:
            yield f'"{" ".join(words)}"'
        yield from (word for word in words if len(word) >= _SHORTEST_NAME_WORD and word not in COMMON_WORDS)


def telling_words(text: str) -> frozenset[str]:
    """Every word of a text, in lower case."""
    return frozenset(_letters(text))


def name_words(names: Iterable[str]) -> frozenset[str]:
    """The words by which a text may mean one of the names; of a name without a distinctive one all."""
    found: set[str] = set()
    for name in names:
        words = _letters(name)
        found |= {w for w in words if len(w) >= _SHORTEST_NAME_WORD and w not in COMMON_WORDS} or set(words)
    return frozenset(found)


def _letters(name: str) -> list[str]:
    return re.findall(r"\w+", name.casefold())
