"""What counts as a right answer: exact match, token F1, abstention, and questions that have no answer."""

import re
import string
from calendar import month_abbr, month_name
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

INSUFFICIENT = "Insufficient information"
"""How a reader abstains, and the gold answer of a question without one (MultiHop-RAG)."""

EXACT_MATCH = "exact match"
ANSWER_MATCH = "answer match"
HAND = "hand"
"""Who judged an answer, where it was no model."""
RULES = {"match": ANSWER_MATCH, "exact": EXACT_MATCH}
"""The rules that decide in a run that nobody has judged, by what `--judge` calls them."""

NULL = "null"
"""The kind of a question that no article answers, and the query type of an imported one."""

_PUNCTUATION = frozenset(string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")

# An answer abstains where it begins by saying so, after "Answer:" or "Sorry, ...", and goes on with no guess.
_LEAD = r"""[\W_]*(?:(?:(?:the\s+)?(?:final\s+)?answer(?:\s+is)?|(?:i\s+am|i'm)?\s*sorry|unfortunately)
    \b[\W_]*(?:but\s+)?)?"""
_SOURCES = r"""(?:(?:the|these|this|any\s+of\s+the)\s+)?
    (?:(?:given|provided|retrieved|available|supplied)\s+)*
    (?:passages?|texts?|contexts?|documents?|articles?|sources?|information|evidence|excerpts?|sentences?)"""
_ABSTENTION = re.compile(
    rf"""{_LEAD}(?:
        # "Insufficient information", and not "Insufficient information security let the thieves in".
        (?:there\s+is\s+)?(?:insufficient|not\s+enough|no)\s+(?:relevant\s+)?(?:information|evidence|context|data)
            (?:[\s_*"'\u201d\u2019)]*(?:$|[.,;:!?\u2013\u2014])
             |\s+(?:to|in|is|was|from|on|about|for|given|provided|available|based|that)\b)
        |i\s+(?:really\s+)?(?:do\s+not|don[\u2019']t|cannot|can[\u2019']?t|could\s+not|couldn[\u2019']t|am\s+unable\s+to)
            \s+(?:know|tell|say|answer|find|determine|identify)\b
        |i[\u2019']?(?:\s+a)?m\s+not\s+(?:sure|certain)\b
        |(?:it\s+is\s+|it[\u2019']s\s+)?(?:unknown|unanswerable|not\s+(?:known|specified|stated|mentioned|given|provided|clear))
            (?:\s+(?:in|from|by|by\s+any\s+of)\s+{_SOURCES})?[\s_*"'\u201d\u2019)]*(?:$|[.,;:!?])
        |(?:none|n/a|no\s+answer)[\s_*"'\u201d\u2019)]*(?:$|[.!])
        |{_SOURCES}\s+(?:do(?:es)?\s+not|don[\u2019']t|doesn[\u2019']t|did\s+not|didn[\u2019']t|never)
            \s+(?:say|tell|state|mention|specify|contain|provide|give|include|name|identify|answer|indicate)
        |none\s+of\s+{_SOURCES}\s+(?:says?|tells?|states?|mentions?|specif(?:y|ies)|contains?|provides?|gives?|names?|answers?)
        |(?:(?:this|the\s+(?:question|answer)|it)\s+)?(?:cannot|can[\u2019']?t|can\s+not|could\s+not|couldn[\u2019']t)
            \s+be\s+(?:determined|answered|found|known|inferred|told|identified)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# "I don't know for sure, but it is probably Oslo."
_GUESS = re.compile(
    r"\b(?:but|however|though|my\s+(?:best\s+)?guess|most\s+likely|presumably)\b", re.IGNORECASE
)


def normalise_answer(text: str) -> str:
    """Lower-case, without ASCII punctuation, without a / an / the, with single blanks.

    The steps and their order are those of the SQuAD evaluation (Rajpurkar et al. 2016), so that figures
    can be compared with published ones; punctuation beyond ASCII is kept, as it is there.
    """
    without_punctuation = "".join(char for char in text.lower() if char not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", without_punctuation).split())


def exact_match(prediction: str, gold: str, aliases: Iterable[str] = ()) -> bool:
    """Whether the normalised prediction equals the normalised gold answer or one of its aliases."""
    predicted = _comparable(prediction)
    return any(predicted == _comparable(accepted) for accepted in (gold, *aliases))


def token_f1(prediction: str, gold: str, aliases: Iterable[str] = ()) -> float:
    """Best F1 in [0, 1] between the prediction's tokens and those of the gold answer or an alias.

    Tokens are the words of the normalised answers, counted as often as they occur (SQuAD, section 6.1).
    An empty answer scores 1 against an empty one and 0 against any other.
    """
    predicted = Counter(_comparable(prediction).split())
    words = predicted.total()
    return max(_f1(predicted, words, Counter(_comparable(one).split())) for one in (gold, *aliases))


def side_by_side(matched: float | None, exact: float | None, f1: float | None) -> str:
    """The shares of answers right by both rules and the mean token F1, in words, for a terminal."""
    parts = ((ANSWER_MATCH, matched), (EXACT_MATCH, exact), ("token F1", f1))
    return ", ".join(f"{name} {'-' if value is None else f'{value:.2f}'}" for name, value in parts)


def any_word_match(given: str, gold: str) -> bool:
    """Whether an answer counts as right by the script of MultiHop-RAG (`has_intersection` in qa_evaluate.py).

    Both are put in small letters and split at white space; one word in common is enough, "the" as well as a
    name. Punctuation stays, so that "Yes." is no "Yes".
    """
    return not set(given.lower().split()).isdisjoint(gold.lower().split())


def is_abstention(prediction: str) -> bool:
    """Whether the answer is empty or says that it can't be given, in MultiHop-RAG's words or in others.

    tests/data/abstentions.yaml has sentences of both kinds. An answer that guesses after all is none.
    """
    if not prediction.strip():
        return True
    found = _ABSTENTION.match(prediction)
    return found is not None and _GUESS.search(prediction, found.end()) is None


def counted_kind(kind: str, query_type: str | None) -> str:
    """The kind that a question counts as: an imported one without an answer is a null question, too."""
    return NULL if query_type == NULL and kind == "imported" else kind


def is_right(fits: bool, *, null: bool, abstained: bool, failed: bool) -> bool:
    """Whether an answer counts as right, where nobody has judged it by hand.

    `fits` is the verdict of whatever decides in the run: exact match, or a judge. A null question is answered
    right by an abstention, in whatever words (MultiHop-RAG, section 4), and an answer that failed never is.
    `Answer.correct` in the graph holds this from the answer on; after each verdict `answers/settle_answers`
    writes it anew by the same rule, the verdict by hand before all. So every reader takes `correct` as it is.
    """
    return not failed and (fits or (null and abstained))


def question_cluster(question: str, evidence: Iterable[tuple[int, str]]) -> str:
    """The cluster of a question, given by id, from the hop and the article (or other group) of its evidence.

    It is the one in which its last fact stands, the first by name where several state it; a question without
    evidence is a cluster of its own.
    """
    pieces = list(evidence)
    last = max((hop for hop, _ in pieces), default=0)
    return min((group for hop, group in pieces if hop == last), default=question)


def answered_unread(passages_shown: int | None, abstained: bool, error: str) -> bool:
    """Whether an answer was given by a model that had been shown no passage: it rests on no text.

    `passages_shown` is None where that isn't known, as of rules and of systems from outside.
    """
    return passages_shown == 0 and not abstained and not error


def remarks_on_support(unknown_citations: int, unread: bool) -> tuple[str, ...]:
    """What a reader must know of what an answer doesn't rest on, in sentences; see `answered_unread`."""
    found = []
    if unknown_citations == 1:
        found.append("The answer cites a passage that was never shown; this citation is left out.")
    elif unknown_citations:
        cited = f"The answer cites {unknown_citations} passages that were never shown"
        found.append(f"{cited}; these citations are left out.")
    if unread:
        found.append("The answer was given with no passage read: it rests on no text.")
    return tuple(found)


def _comparable(text: str) -> str:
    # Normalising leaves nothing of the answer "A" or "?", and every other such answer would equal it.
    return normalise_answer(text) or " ".join(text.lower().split())


def _f1(predicted: Counter[str], words: int, accepted: Counter[str]) -> float:
    if not predicted or not accepted:
        return float(predicted == accepted)
    # Over the words of the accepted answer, which are few, however long the prediction is.
    shared = sum(min(times, predicted[word]) for word, times in accepted.items())
    return 2 * shared / (words + accepted.total())


_WORD = re.compile(r"\w+(?:[.,'\u2019-]\w+)*")
_DOUBT = frozenset({"or", "either", "perhaps", "maybe", "possibly", "probably", "might", "could", "unclear"})
_DENIAL = frozenset({"not", "no", "never", "neither", "nor", "cannot"})
_DENYING_END = ("n't", "n\u2019t")
MOST_LETTERS = 100_000
"""A longer answer is none, whatever it says."""

_STOPS = frozenset(".!?:")
_OPENING = " \"'(\u201c\u2018*"
_DECIDED = ("yes", "no")
_STATED = re.compile(
    r"\banswer(?:\s+to\s+(?:the|this)\s+question)?\s*(?:is|:|\bwould\s+be\b)[\s:*]*", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
# "No, ...", "no." and "No, they were not", and not "no doubt" or "no longer".
_ASSERTED = re.compile(
    r"\b(?:(?P<yes>yes)|(?P<no>no)(?=\W*$|\s*[.,;:!?\u2013\u2014)*]|\s+(?:it|they|he|she|the|this|that|both|neither)\b))\b",
    re.IGNORECASE,
)


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
    denial, or another name or number beside it that could be meant instead. Names of the question and of its
    `chain` (the entities on the way) may stand there; a number doesn't compete with a name. Where the answer
    says "the answer is ...", what follows counts. A gold answer of yes or no is decided by what the answer
    asserts, so that "There is no doubt: yes" is a yes.
    """
    forms = (gold, *accepted)
    if len(given) > MOST_LETTERS:
        return Match(
            False, f"The answer has {len(given):,} letters, more than the {MOST_LETTERS:,} that are judged."
        )
    if exact_match(given, gold, forms[1:]):
        return Match(True, "The answer is the key.")
    decided = decides(given, gold)
    if decided:
        return Match(True, "The answer decides as the key does.")
    stated = _stated(given)
    form = said_form(stated, forms) if decided is None else None
    if form is None:
        return Match(False, f"The answer doesn't say the key {gold!r}.")
    fault = _fault(stated, form, " ".join((question, *chain, *forms)))
    return Match(not fault, fault or f"The answer says the key {form!r} and names nothing else.")


def _fault(text: str, form: str, known: str) -> str:
    """Why a text that holds an accepted form doesn't say it; empty where it does."""
    if is_denied(text, form):
        return f"The answer denies something beside the key {form!r}."
    if is_doubtful(text, form):
        return f"The answer leaves open whether it is {form!r}."
    others = other_names(text, form, known)
    return f"Beside the key {form!r} the answer names {', '.join(others[:3])}." if others else ""


def said_form(text: str, accepted: Iterable[str]) -> str | None:
    """The longest of the accepted answers that stands in the text as whole words, None where none does."""
    held = f" {normalise_answer(text)} "
    forms = sorted(accepted, key=len, reverse=True)
    return next((form for form in forms if (norm := normalise_answer(form)) and f" {norm} " in held), None)


def holds_key(text: str, accepted: Iterable[str]) -> bool:
    """Whether an accepted answer other than yes or no stands in the text, in whatever company."""
    form = said_form(text, accepted)
    return form is not None and normalise_answer(form) not in _DECIDED


def decides(text: str, key: str) -> bool | None:
    """Whether the text asserts what a key of yes or no says; None where the key is another."""
    wanted = normalise_answer(key)
    if wanted not in _DECIDED:
        return None
    asserted = {match.lastgroup for match in _ASSERTED.finditer(_stated(text))}
    return asserted == {wanted}


def is_doubtful(text: str, form: str) -> bool:
    """Whether the text around an accepted answer leaves it open: "perhaps", "or", "could"."""
    return not _DOUBT.isdisjoint(_beside(text, form))


def is_denied(text: str, form: str) -> bool:
    """Whether the text around an accepted answer denies something: "not", "never", "isn't"."""
    words = _beside(text, form)
    return not _DENIAL.isdisjoint(words) or any(word.endswith(_DENYING_END) for word in words)


def other_names(text: str, form: str, known: str) -> tuple[str, ...]:
    """The names and numbers in a text that could be meant in place of the accepted answer.

    A word is a name if it begins with a capital within a sentence, a number if it holds a digit; what stands
    in the accepted answer or is `known` is neither. Beside an answer without a digit numbers don't compete,
    and beside one of digits only, as a date or an amount, names don't.
    """
    seen = _counts(form) + _counts(known)
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
        is_name = named and word[0].isupper() and not begins and word != "I"
        is_number = numeric and any(map(str.isdigit, word))
        if (is_name or is_number) and not seen[_plain(word)]:
            found.append(word)
    return tuple(found)


def forms_with_their_numbers(text: str, forms: Iterable[str]) -> list[str]:
    """Those of the accepted answers of which each word that holds a digit stands in the text, in order."""
    # The text is gone through once, however many forms there are.
    words = _counts(text).keys()
    return [form for form in forms if {one for one in _counts(form) if any(map(str.isdigit, one))} <= words]


def _stated(text: str) -> str:
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
