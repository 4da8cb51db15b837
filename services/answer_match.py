"""Whether an answer says the gold answer, in however many words: answer match."""

import re
from calendar import month_abbr, month_name
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.answers import exact_match, is_abstention, normalise_answer

_WORD = re.compile(r"\w+(?:[.,'\u2019-]\w+)*")
_DOUBT = frozenset({"or", "either", "perhaps", "maybe", "possibly", "probably", "might", "could", "unclear"})
_DENIAL = frozenset({"not", "no", "never", "neither", "nor", "cannot"})
_SHORT_NAME = re.compile(r"[A-Z]{2,}")
_DENYING_END = ("n't", "n\u2019t")
_BESIDE = (
    r"(?:near|outside|beyond|unlike|other than|rather than|instead of|except|around|approximately|roughly|"
    "circa|nearly|almost)"
)
_BESIDE_DATE = rf"(?:{_BESIDE}|about|before|after|since|until|by)"
"""What right before an accepted answer makes another of it, unless the question says it too."""
_TITLES = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms", "sir", "dame"})
# Where an answer says from which passage it is: "[2]", "(passage 2)".
_CITATION = re.compile(
    r"\[\d+(?:\s*,\s*\d+)*\]|\b(?:passage|document|source|article|text|context|chunk)s?\s+\d+(?!\d*[.,]?\d)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d')
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b(?: of)?", re.IGNORECASE)
# What is denied in favour of the answer: "Oslo, not the city of Bergen", "not Bergen but Oslo".
_NAMED = r"(?-i:[A-Z0-9][\w.\u2019'-]*(?: (?:(?:of|the|de|and|for) )?[A-Z0-9][\w\u2019'-]*)*)"
_REJECTED = (
    rf"(?:(?:in|at|on|by|from) )?(?:the )?(?:(?:city|town|state|country) of )?{_NAMED}"
    rf"(?:,? (?:or|nor) {_NAMED})*"
)
_RIVAL = re.compile(
    rf"(?:[,;(\u2013\u2014-] ?(?:and |but )?not|,? ?\b(?:rather than|instead of|as opposed to)) {_REJECTED}"
    rf"(?=[\s)]*(?:$|[.,;:!?]))|\bnot {_REJECTED},? but\b|\b(?:rather than|instead of) {_REJECTED}",
    re.IGNORECASE,
)
MOST_LETTERS = 100_000
"""A longer answer is none, whatever it says."""

_STOPS = frozenset(".!?:\n")
_OPENING = " \"'(\u201c\u2018*"
_DECIDED = ("yes", "no")
_STATED = re.compile(
    r"\banswer(?:\s+to\s+(?:the|this)\s+question)?\s*(?:is|:|\bwould\s+be\b)[\s:*]*", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
# "No, ...", "no." and "No, they were not", and not "no doubt" or "no longer".
_ASSERTED = re.compile(
    r"\b(?:(?P<yes>yes)|(?P<no>no)(?=\W*$|\s*[.,;:!?\u2013\u2014)*]|"
    r"\s+(?:(?:it|they|he|she|the|this|that|both|neither)\b|-)))\b",
    re.IGNORECASE,
)
# Where neither word is said: "That is correct", "It did not".
_IMPLIED = re.compile(
    r"^\W*(?:(?P<yes>that(?: is|['\u2019]s) (?:correct|true|right)|"
    r"(?:indeed,? )(?:it|they|he|she) (?:did|was|were|is|are|has|have|had)\b(?! not| never)|"
    r"(?:it|they|he|she) (?:did|was|were|is|are|has|have|had)(?: indeed)?(?=\W*$))|"
    r"(?P<no>that(?: is|['\u2019]s) (?:incorrect|false|wrong|not (?:correct|true|right))|"
    r"(?:indeed,? )?(?:it|they|he|she) (?:did|was|were|is|are|has|have|had)(?: not|n['\u2019]t)))\b",
    re.IGNORECASE,
)
# "Are they from the same country?", and what says so: "the same country", "different countries", "the same".
_SAME_ASKED = re.compile(r"\bsame (\w{3,}?)(?:ies|y|s)?\b", re.IGNORECASE)
_SAMENESS = re.compile(
    r"\b(?:(?P<same>same)|different|differing|separate|distinct)\b(?: (?P<what>\w+))?", re.IGNORECASE
)
_LEFT_OPEN = re.compile(r"\b(?:whether|if)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Match:
    """Whether an answer says the gold answer, and a sentence that says why or why not."""

    right: bool
    why: str


def answer_match(
    given: str, gold: str, accepted: Iterable[str] = (), question: str = "", chain: Iterable[str] = ()
) -> bool:
    """Whether an answer says the gold answer or one of its other forms; see `match_answer`."""
    return match_answer(given, gold, accepted, question, chain).right


def match_answer(
    given: str, gold: str, accepted: Iterable[str] = (), question: str = "", chain: Iterable[str] = ()
) -> Match:
    """Whether an answer says the gold answer, in however many words, and why.

    It does if it is an exact match, and if an accepted form stands in it as whole words without a doubt, a
    denial, or another name or number beside it that could be meant instead. Doubts and names of the question
    and names of its `chain` (the entities on the way) may stand there, and so may a name that is denied in
    its favour ("Oslo, not Bergen"); a number doesn't compete with a name. Where the answer says "the answer
    is ...", what follows counts. A gold answer of yes or no is decided by what the answer asserts, so that
    "There is no doubt: yes" is a yes.
    """
    forms = (gold, *accepted)
    if len(given) > MOST_LETTERS:
        return Match(
            False, f"The answer has {len(given):,} letters, more than the {MOST_LETTERS:,} that are judged."
        )
    if exact_match(given, gold, forms[1:]):
        return Match(True, "The answer is the key.")
    decided = decides(given, gold, question)
    if decided:
        return Match(True, "The answer decides as the key does.")
    stated = without_rivals(_ORDINAL.sub(r"\1", _CITATION.sub(" ", _final_statement(given))), forms)
    form = said_form(stated, forms) if decided is None else None
    if form is None:
        return Match(False, f"The answer doesn't say the key {gold!r}.")
    fault = _fault(stated, form, question, " ".join((question, *chain, *forms)))
    return Match(not fault, fault or f"The answer says the key {form!r} and names nothing else.")


def _fault(text: str, form: str, question: str, known: str) -> str:
    """Why a text that holds an accepted form doesn't say it; empty where it does."""
    if beside := _says_beside(text, form, question):
        return f"The answer says what is {beside!r}, not the key {form!r}."
    if is_denied(text, f"{form} {question}"):
        return f"The answer denies something beside the key {form!r}."
    if is_doubtful(text, f"{form} {question}"):
        return f"The answer leaves open whether it is {form!r}."
    others = other_names(text, form, known)
    return f"Beside the key {form!r} the answer names {', '.join(others[:3])}." if others else ""


def _says_beside(text: str, form: str, question: str) -> str:
    """The words by which a text means what is beside an accepted form ("near Oslo", "Oslo's harbour")."""
    before = _BESIDE_DATE if form.isdigit() or _is_date(form) else _BESIDE
    found = re.search(rf"\b({before}) (?:the )?{re.escape(form)}\b", text, re.IGNORECASE)
    if found and found[1].lower() not in question.lower():
        return found[1]
    owned = re.search(rf"\b{re.escape(form)}(?:['\u2019]s|(?<=s)['\u2019]) \w+", text)
    return owned[0] if owned else ""


def said_form(text: str, accepted: Iterable[str]) -> str | None:
    """The longest of the accepted answers that stands in the text as whole words, None where none does."""
    held = f" {normalise_answer(text)} "
    forms = sorted(accepted, key=len, reverse=True)
    return next((form for form in forms if (norm := normalise_answer(form)) and f" {norm} " in held), None)


def holds_key(text: str, accepted: Iterable[str]) -> bool:
    """Whether an accepted answer other than yes or no stands in the text, in whatever company."""
    form = said_form(text, accepted)
    return form is not None and normalise_answer(form) not in _DECIDED


def decides(text: str, key: str, question: str = "") -> bool | None:
    """Whether the text asserts what a key of yes or no says; None where the key is another.

    Where neither word is said and the question asks for "the same ...", it is decided by "the same" and
    "different" in the text.
    """
    wanted = normalise_answer(key)
    if wanted not in _DECIDED:
        return None
    said = _final_statement(text)
    asserted = {one.lastgroup for one in _ASSERTED.finditer(said)} or _sameness(said, question)
    return (asserted or {one.lastgroup for one in _IMPLIED.finditer(said)}) == {wanted}


def _sameness(text: str, question: str) -> set[str | None]:
    """Yes for "the same country" and no for "different countries", where the question is about the same one.

    Both, or neither, where the text leaves it open or speaks of the same of something else.
    """
    asked = _SAME_ASKED.search(question)
    if asked is None or is_abstention(text) or is_doubtful(text, question) or _LEFT_OPEN.search(text):
        return set()
    found: set[str | None] = set()
    for match in _SAMENESS.finditer(text):
        what = (match["what"] or "").casefold()
        if not what or what.startswith(("one", "as", "from", asked[1].casefold())):
            # The clause before it, as far as a negation reaches.
            clause = re.split(r"[.,;:]", text[max(0, match.start() - 80) : match.start()])[-1]
            found.add("yes" if (match["same"] is None) is is_denied(clause, "") else "no")
    return found


def without_rivals(text: str, accepted: Sequence[str]) -> str:
    """A text less the names that it denies in favour of others ("Oslo, not Bergen"), save answers."""
    return _RIVAL.sub(lambda match: match[0] if said_form(match[0], accepted) else " ", text)


def is_doubtful(text: str, form: str) -> bool:
    """Whether the text around an accepted answer leaves it open: "perhaps", "or", "could"."""
    return not _DOUBT.isdisjoint(_beside(text, form)) or re.search(r"\bmay (?:have|be)\b", text) is not None


def is_denied(text: str, form: str) -> bool:
    """Whether the text around an accepted answer denies something: "not", "never", "isn't"."""
    words = _beside(text, form)
    return not _DENIAL.isdisjoint(words) or any(word.endswith(_DENYING_END) for word in words)


def other_names(text: str, form: str, known: str) -> tuple[str, ...]:
    """The names and numbers in a text that could be meant in place of the accepted answer.

    A word is a name if it begins with a capital within a sentence, a number if it holds a digit; what stands
    in the accepted answer or is `known` is neither. Beside an answer without a digit numbers don't compete,
    and beside one of digits only, as a date or an amount, names don't. Titles in quotation marks don't where
    the accepted answer stands outside of them, nor does what says where it lies ("Davenport in Cheshire").
    """
    if form in (unquoted := _QUOTED.sub(" ", text)):
        text = re.sub(rf"({re.escape(form)}) in (?:the )?(?:[A-Z][\w.'\u2019-]* ?)+", r"\1 ", unquoted)
    seen = _counts(form) + _counts(known)
    short = "".join(word[0] for word in form.split() if word[0].isupper())
    letters = re.sub(r"[\W\d_]+", "", form)
    numeric = any(map(str.isdigit, form))
    named = not numeric or (letters != letters.lower() and not _is_date(form))
    found = []
    end = 0
    for match in _WORD.finditer(text):
        word = match[0]
        # Only what stands between two words tells whether a sentence begins, so that time stays linear.
        between = text[end : match.start()]
        begins = not _STOPS.isdisjoint(between) or not (end or between.strip(_OPENING))
        end = match.end()
        # "SEC New York" names another, though its first word begins a sentence.
        begins = begins and not (_SHORT_NAME.fullmatch(word) and text.startswith(form, end + 1))
        is_name = named and word[0].isupper() and not begins and word not in ("I", short)
        is_name = is_name and word.lower() not in _TITLES
        is_number = numeric and any(map(str.isdigit, word))
        if (is_name or is_number) and not seen[_plain(word)]:
            found.append(word)
    return tuple(found)


def forms_with_their_numbers(text: str, forms: Iterable[str]) -> list[str]:
    """Those of the accepted answers of which each word that holds a digit stands in the text, in order."""
    # The text is gone through once, however many forms there are.
    words = _counts(text).keys()
    return [form for form in forms if {one for one in _counts(form) if any(map(str.isdigit, one))} <= words]


def _final_statement(text: str) -> str:
    """What follows the last "the answer is", to the end of its sentence; the whole text without it."""
    found = [match.end() for match in _STATED.finditer(text)]
    if not found or not text[found[-1] :].strip():
        return text
    return _SENTENCE_END.split(text[found[-1] :].strip(), maxsplit=1)[0]


_MONTHS = frozenset(month_name[1:]) | frozenset(month_abbr[1:])


def _is_date(form: str) -> bool:
    return any(word in _MONTHS for word in _WORD.findall(form))


def _beside(text: str, form: str) -> list[str]:
    """The words of a text less those of the form, in small letters."""
    left = Counter(_plain(word) for word in _WORD.findall(text))
    return list(left - _counts(form))


def _counts(text: str) -> Counter[str]:
    return Counter(_plain(word) for word in _WORD.findall(text))


def _plain(word: str) -> str:
    return word.casefold().removesuffix("'s").removesuffix("\u2019s")
