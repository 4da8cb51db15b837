"""A clause taken apart into its subject and its verb group, and put into the order of a question."""

from collections.abc import Sequence

from services.questions.wording import verbs

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
    known = bool(verbs.known_lemmas(word))
    return word in verbs.AUXILIARIES or (known and (verbs.is_past(word) or verbs.is_third(word)))


def is_only_verb(word: str) -> bool:
    """Whether the word is a verb in whatever form and can't be a noun: "include"."""
    return bool(verbs.known_lemmas(word)) and not verbs.is_noun(word)


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
    if group[0] in verbs.AUXILIARIES and (len(group) > 1 or group[0] in verbs.BE):
        return " ".join((group[0], *subject, *group[1:]))
    verb = group[0]
    do = "did" if verbs.is_past(verb) else "does" if verbs.is_third(verb) else "do"
    return " ".join((do, *subject, verbs.base(verb), *group[1:]))


def inverted_clause(clause: str) -> str:
    """ "The club won the cup" -> "did the club win the cup"."""
    words = clause.split()
    end = name_end(words, 0) if words else 0
    return inverted_words(words[:end], words[end:])
