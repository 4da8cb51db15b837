"""Forms of English verbs and nouns; each is looked up once.

A clause taken apart into its subject and its verb group, and put into the order of a question.
"""

from collections.abc import Sequence
from functools import lru_cache

from kg.text import inflection

BE = frozenset({"is", "are", "was", "were", "am", "be", "been", "being"})
HAVE = frozenset({"has", "have", "had"})
DO = frozenset({"does", "do", "did"})
MODALS = frozenset({"will", "would", "can", "could", "may", "might", "must", "shall", "should"})
AUXILIARIES = BE | HAVE | DO | MODALS

# Forms that the dictionary gives in another sense first.
_OWN_FORMS = {
    ("lie", "VBD"): "lay",
    ("lie", "VBN"): "lain",
    ("bear", "VBN"): "borne",
    ("hang", "VBD"): "hung",
    ("be", "VBD"): "was",
}
_OWN_LEMMAS = {"lay": "lie", "lies": "lie", "born": "bear", "found": "find", "left": "leave", "felt": "feel"}


@lru_cache(maxsize=65_536)
def base(word: str) -> str:
    """The infinitive of a verb's form: "leads", "led" -> "lead"."""
    if word in _OWN_LEMMAS:
        return _OWN_LEMMAS[word]
    known = known_lemmas(word)
    return known[0] if known else next(iter(inflection.lemmas(word, "VERB")), word) or word


def known_lemmas(word: str) -> tuple[str, ...]:
    """The infinitives of which the word is a form in the dictionary; none for a word that is no verb."""
    return inflection.known_lemmas(word).get("VERB", ())


@lru_cache(maxsize=65_536)
def _inflected(infinitive: str, tag: str) -> str:
    own = _OWN_FORMS.get((infinitive, tag))
    return own or next(iter(inflection.forms(infinitive, tag)), infinitive)


def participle(infinitive: str) -> str:
    """ "sequence" -> "sequenced"."""
    return _inflected(infinitive, "VBN")


def past(infinitive: str) -> str:
    """ "lead" -> "led"."""
    return _inflected(infinitive, "VBD")


def third(infinitive: str) -> str:
    """ "lead" -> "leads"."""
    return "has" if infinitive == "have" else _inflected(infinitive, "VBZ")


@lru_cache(maxsize=65_536)
def is_participle(word: str) -> bool:
    """Whether the word is a past participle of some verb of the dictionary, or is built like one."""
    if word in {"born", "based", "lain", "located", "headquartered"}:
        return True
    known = known_lemmas(word)
    if not known:
        return word.endswith("ed") and len(word) > 4
    return any(word in inflection.forms(lemma, "VBN") for lemma in known)


@lru_cache(maxsize=65_536)
def is_gerund(word: str) -> bool:
    """Whether the word is the "-ing" of a verb."""
    return word.endswith("ing") and any(lemma != word for lemma in known_lemmas(word))


@lru_cache(maxsize=65_536)
def is_past(word: str) -> bool:
    """Whether the word can be a simple past ("led", "cut")."""
    return any(
        word in (past(lemma), *inflection.forms(lemma, "VBD")) for lemma in (base(word), *known_lemmas(word))
    )


@lru_cache(maxsize=65_536)
def is_third(word: str) -> bool:
    """Whether the word is the present of a singular subject ("leads")."""
    return any(word == third(lemma) for lemma in (base(word), *known_lemmas(word)))


@lru_cache(maxsize=65_536)
def is_noun(word: str) -> bool:
    """Whether the dictionary knows the word as a noun."""
    return "NOUN" in inflection.known_lemmas(word)


@lru_cache(maxsize=65_536)
def is_plural(noun: str) -> bool:
    """Whether a common noun stands in the plural ("doses")."""
    lemmas = inflection.known_lemmas(noun).get("NOUN", ())
    if lemmas:
        return any(lemma != noun for lemma in lemmas)
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))


@lru_cache(maxsize=65_536)
def is_known_plural(noun: str) -> bool:
    """Whether the dictionary has the word as the plural of a noun and as nothing else of that form."""
    lemmas = inflection.known_lemmas(noun).get("NOUN", ())
    return noun.endswith("s") and bool(lemmas) and noun not in lemmas


@lru_cache(maxsize=65_536)
def plural_noun(noun: str) -> str:
    """A noun phrase in the plural, by its last word: "chief physician" -> "chief physicians"."""
    before, _, last = noun.rpartition(" ")
    plural = next(iter(inflection.forms(last, "NNS")), last)
    return f"{before} {plural}".strip()


@lru_cache(maxsize=65_536)
def is_modifier(word: str) -> bool:
    """Whether the word can be an adjective ("cultural")."""
    return "ADJ" in inflection.known_lemmas(word)


@lru_cache(maxsize=65_536)
def is_only_modifier(word: str) -> bool:
    """Whether the word is an adjective or adverb and no noun ("famous")."""
    kinds = inflection.known_lemmas(word)
    return bool(kinds) and "NOUN" not in kinds and bool({"ADJ", "ADV"} & kinds.keys())


_JOINTS = frozenset(
    {
        "of",
        "the",
        "de",
        "du",
        "la",
        "and",
        "for",
        "von",
        "van",
        "&",
        "bin",
        "ibn",
        "al",
        "el",
        "del",
        "di",
        "da",
        "der",
        "den",
    }
)
_ARTICLES = frozenset({"the", "a", "an"})


def is_finite(word: str) -> bool:
    """Whether the word is an auxiliary, or a verb in the present or the past."""
    known = bool(known_lemmas(word))
    return word in AUXILIARIES or (known and (is_past(word) or is_third(word)))


def is_only_verb(word: str) -> bool:
    """Whether the word is a verb in whatever form and can't be a noun: "include"."""
    return bool(known_lemmas(word)) and not is_noun(word)


def starts_name(word: str) -> bool:
    """Whether a name or a "#1" begins with the word."""
    return bool(word) and (word[0] == "#" or word[0].isupper() or word[0].isdigit())


def name_end(words: Sequence[str], at: int) -> int:
    """Where the subject ends that begins at `at`: behind "#1", or behind capitals joined by "of the".

    A subject without a capital ends before the first finite verb.
    """
    if words[at].startswith("#"):
        return at + 1
    start = at + (words[at].lower() in _ARTICLES)
    end = start
    while end < len(words) and (starts_name(words[end]) or _joins(words, end)):
        end += 1
    if end > start:
        return end
    return next((here for here in range(at + 1, len(words)) if is_finite(words[here])), len(words))


def _joins(words: Sequence[str], at: int) -> bool:
    """Whether only small words lie between here and the next capital: "Isle of the Dead"."""
    behind = at + 1
    while behind < len(words) and words[behind] in _JOINTS:
        behind += 1
    return words[at] in _JOINTS and behind < len(words) and starts_name(words[behind])


def inverted_words(subject: Sequence[str], group: Sequence[str]) -> str:
    """Subject and verb group in the order of a question, with "do" where there is no auxiliary."""
    if not group:
        return " ".join(("is", *subject))
    if group[0] in AUXILIARIES and (len(group) > 1 or group[0] in BE):
        return " ".join((group[0], *subject, *group[1:]))
    verb = group[0]
    do = "did" if is_past(verb) else "does" if is_third(verb) else "do"
    return " ".join((do, *subject, base(verb), *group[1:]))


def inverted_clause(clause: str) -> str:
    """ "The club won the cup" -> "did the club win the cup"."""
    words = clause.split()
    end = name_end(words, 0) if words else 0
    if words[end:] and not is_finite(words[end]):
        # A name goes on with any small word, to the verb: "Accident on Hill Road was released".
        verbs = (at for at in range(end, len(words)) if not starts_name(words[at]) and is_finite(words[at]))
        end = next(verbs, end)
    return inverted_words(words[:end], words[end:])
