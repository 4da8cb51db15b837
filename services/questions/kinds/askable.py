"""Which predicates make a question that reads as English and means one thing."""

from collections.abc import Sequence

from kg.queries import query
from kg.store.graph import Graph
from services.questions.predicate_key import predicate_key
from services.questions.wording.predicates import wordable
from services.questions.wording.relations import scene

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
    """Whether a short question can be made of it: a verb, a verb with one preposition, or "is ... of".

    What takes names or nouns along ("supplies ball of", "took charge of the Mariners on") is left out.
    """
    if not wordable(predicate) or not predicate.islower() or not _is_plain(predicate) or scene(predicate):
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
    for row in graph.stream(query("kinds/list_predicates"), corpus=corpus, limit=50 * limit):
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
