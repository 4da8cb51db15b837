"""One key for what a predicate says, whatever the tense: "plays for", "played for", "has played for"."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from kg.text import inflection

_BE = frozenset({"am", "is", "are", "was", "were", "be", "been", "being"})
_HAVE = frozenset({"have", "has", "had", "having"})
_DO = frozenset({"do", "does", "did"})
_TENSE = frozenset({"will", "shall"})
_MODALS = frozenset({"would", "should", "can", "could", "may", "might", "must", "cannot"})
_ADVERBS = frozenset({"still", "long", "also", "now", "once", "already", "first", "later", "soon", "since"})
_DENIALS = frozenset({"not", "never", "no", "longer", "hardly", "barely"})


@lru_cache(maxsize=65_536)
def predicate_key(predicate: str) -> str:
    """The lemma of the verb without auxiliaries of tense, and the rest in small letters.

    "has played for" is "play for", "are owned by" is "be owned by", "is building" is "build", "did not win"
    is "not win", "is Mayor of" is "be mayor of". Denials, adverbs and verbs of mood stay, because they say
    something else.
    """
    words = predicate.split()
    kept: list[str] = []
    base = False
    for at, word in enumerate(words):
        folded, behind = word.casefold(), _next_verb(words, at + 1)
        if folded in _DENIALS or (behind and _is_adverb(folded)):
            kept.append(folded)
        elif behind and (folded in _MODALS or folded in _TENSE or (folded in _DO and _is_denied(words, at))):
            kept += [folded] if folded in _MODALS else []
            base = True
        elif not _is_auxiliary(folded, behind, words):
            verb = "be" if folded in _BE else folded if base else _lemma(folded)
            return " ".join((*kept, verb, *words[at + 1 :])).casefold()
    return " ".join(kept)


def same_predicates(predicates: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Each predicate with all of the given ones that share its key, itself among them, in order."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for predicate in sorted(set(predicates)):
        groups[predicate_key(predicate)].append(predicate)
    return {one: tuple(group) for group in groups.values() for one in group}


def _lemma(word: str) -> str:
    # The first lemma is the commoner verb: "found" is rather of "find", while "founded" has but one.
    return next(iter(inflection.lemmas(word, "VERB")), word)


def _is_auxiliary(word: str, behind: str, words: Sequence[str]) -> bool:
    """Whether a form of "have" or "be" only makes a tense of the verb behind it."""
    if word in _HAVE:
        return _is_form(behind, "VBN") and not _is_noun(words, behind)
    if word in _BE:
        return behind == "being" or (_is_form(behind, "VBG") and not _is_noun(words, behind))
    return False


def _next_verb(words: Sequence[str], start: int) -> str:
    """The next word that is neither a denial nor an adverb, "" at the end."""
    rest = (word.casefold() for word in words[start:])
    return next((word for word in rest if word not in _DENIALS and not _is_adverb(word)), "")


def _is_denied(words: Sequence[str], at: int) -> bool:
    """Whether "do" only carries a denial: "did not win", but not "did research on"."""
    return at + 2 < len(words) and words[at + 1].casefold() in _DENIALS


def _is_noun(words: Sequence[str], word: str) -> bool:
    """ "Is building of", "has set of": before "of" the word is a thing rather than a deed."""
    folded = [one.casefold() for one in words]
    at = folded.index(word)
    return folded[at + 1 : at + 2] == ["of"]


@lru_cache(maxsize=65_536)
def _is_form(word: str, tag: str) -> bool:
    """Whether the word is such a form of a verb of the dictionary: VBN "won", VBG "building"."""
    if not word or (tag == "VBG" and not word.endswith("ing")):
        return False
    lemmas = [
        lemma for lemma in inflection.known_lemmas(word).get("VERB", ()) if lemma != word or tag == "VBN"
    ]
    return any(word in inflection.forms(lemma, tag) for lemma in lemmas)


@lru_cache(maxsize=65_536)
def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or inflection.known_lemmas(word).keys() == {"ADV"}
