"""What counts as a right answer: exact match, token F1, abstention, and questions that have no answer."""

import re
import string
from calendar import month_abbr, month_name
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

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

# An answer abstains where it begins by saying so, after "Answer:" or "Based on the passages, ...", and goes
# on with no guess. In the forms below {SOURCES} stands for what follows here, and (?-i:...) keeps titles out:
# "No One Knows", "Sources Say Nothing".
_PHRASES = {
    "SOURCES": (
        "(?:(?:any of )?(?:the|these|this|your) )?(?:(?:given|provided|retrieved|available|supplied) )*"
        "(?:passages?|texts?|contexts?|documents?|articles?|sources?|information|evidence|excerpts?|sentences?)"
        r"(?: \d+)?(?: (?:that )?(?:(?:is|was|are|were|i was) )?"
        "(?:given|provided|retrieved|available|above|here|alone))?"
    ),
    "SOURCE": "(?-i:passages?|texts?|documents?|articles?|sources?|sentences?)",
    "CANNOT": "(?:cannot|can not|can['\u2019]?t|could not|couldn['\u2019]t)",
    "MISSING": (
        "(?:(?:relevant|further|specific|such|direct|explicit) )*(?:information|info|evidence|contexts?|data|"
        "details?|mention|answer|indication|reference|record)"
    ),
    "GIVEN": (
        "(?:specified|stated|mentioned|given|provided|known|clear|named|available|disclosed|included|indicated|"
        "found|present|identified|reported|listed|covered|addressed|revealed|answered|recorded|described|"
        "explained|enough|sufficient)"
    ),
    "OPEN": (
        "(?:unknown|unclear|unanswerable|unspecified|unstated|undisclosed|undetermined|indeterminate|"
        "not clear|uncertain|missing|insufficient|inconclusive)"
    ),
    "TELL": (
        "(?:says?|tells?|states?|mentions?|specif(?:y|ies)|contains?|provides?|gives?|includes?|names?|"
        "identif(?:y|ies)|answers?|indicates?|discloses?|reveals?|reports?|lists?|shows?|covers?|"
        "address(?:es)?|offers?|explains?|describes?)"
    ),
    "LEARN": (
        "(?:know|tell|say|answer|find|determine|identify|provide|infer|establish|confirm|give|name|see|"
        "conclude|locate|help)"
    ),
    "LEARNT": (
        "(?:known|told|said|determined|answered|found|inferred|identified|established|concluded|derived|"
        "ascertained)"
    ),
    "ASKS": r"(?:who(?:se|m)?|what|when|where|which|whether|how|why|if)\b",
    "NOT": "(?: not|n['\u2019]?t| never)",
    "QUITE": r"(?:\w+ly )?",
    "STOP": "[\\s_*\"'\u201d\u2019)]*(?:$|[.,;:!?\u2013\u2014])",
    "END": "(?: (?:anywhere )?(?:in|from|by|within|based on) (?:any(?: of)? )?{SOURCES})?{STOP}",
    # "The name of the founder", and not "His birthplace is Oslo, which": what is said to be missing.
    "MATTER": (
        "(?:it|(?:the|this|that|his|her|its|their|an?)"
        "(?: (?!(?:is|are|was|were|says?|said|states?|that|which|who)\\b)[\\w\u2019'-]+){0,8}?|that|this|"
        "{MISSING}(?: (?:about|on)(?: [\\w\u2019'-]+){1,6}?)?|"
        "(?:who|what|when|where|which|how)(?: [\\w\u2019'-]+){1,12}?)"
    ),
    "IS": "(?:['\u2019]s| (?:is|are|was|were|remains?))",
}
_LEAD = (
    r"[\W_]*+(?:(?:(?:the )?(?:final )?answer(?: is)?|(?:i am |i'm )?sorry|unfortunately|hmm+|thus|therefore|"
    "so|hence|i['\u2019]?(?: a)?m afraid)\\b[\\W_]*+(?:but |that )?)?"
    "(?:(?:based (?:only |solely )?on|according to|judging by|given|from|in|with|"
    "after (?:reading|reviewing|searching)) {SOURCES},? )?"
    r"(?:(?:as|since|because) (?={SOURCES}\b|none\b|no\b|nothing\b|there\b))?"
)
_ABSTENTIONS = (
    # "Insufficient information", and not "Insufficient information security let the thieves in".
    "(?:(?:there (?:is|are|was|were)|there['\u2019]s|(?:i|we) have|i (?:\\w+ ){0,4}(?:found|see)) )?"
    "(?:insufficient|not enough|not sufficient|no) {MISSING}(?:{STOP}| (?:(?:is|was) )?{GIVEN}\\b|"
    " (?:to|in|from|on|about|for|of|as|regarding|concerning|based|that|{ASKS})\\b)",
    r"no (?:relevant )?{SOURCE} (?:is|was|were) {GIVEN}\b",
    r"there (?:is|are){NOT} (?:enough|any|sufficient) {MISSING}\b",
    r"(?:there is )?nothing (?:in|about|is {GIVEN}|is said)\b(?=.*\b{SOURCES})",
    "there(?: is|['\u2019]s) no way to {LEARN}\\b",
    "(?:i|we|one|you) (?:(?:really|simply|just) )?(?:do not|don['\u2019]?t|{CANNOT}|"
    r"(?:am|are|was|were) (?:unable|not able) to) {LEARN}\b",
    "i['\u2019]m (?:unable|not able) to {LEARN}\\b",
    "(?:i|we) (?:(?:do not|don['\u2019]t) have|lack|have no) (?:\\w+ ){0,3}?{MISSING}\\b",
    "i['\u2019]?(?: a)?m not (?:sure|certain)\\b",
    r"(?:unable to|{CANNOT}) (?:be (?-i:{LEARNT})|(?-i:{LEARN}))\b",
    "(?:not {GIVEN}|(?!missing\\b){OPEN}|(?:information|info|data|answer) (?:is )?not {GIVEN}|"
    "not (?:sure|determinable)|no idea|not in {SOURCES}){END}",
    "(?:none|n/a|idk|null|no answer|no info)[\\s_*\"'\u201d\u2019)]*(?:$|[.!(])",
    r"unknown\s*\(",
    r"no answer (?:(?:is|was|can be|could be) )?(?:found|given|possible|available)\b",
    "no(?-i:body| one) (?-i:knows)(?:{END}| {ASKS})",
    "{SOURCES} (?:do{NOT}|does{NOT}|did{NOT}|never|fails? to) {QUITE}"
    "(?:{TELL}|allow|permit|let|suffice|support)",
    "{SOURCES} (?:only )?(?:mentions?|discuss(?:es)?|refers? to|describes?|are about) [^.;]{0,120}?"
    r"\b(?:but|and) (?:(?:they |it )?do(?:es)?{NOT} {QUITE}{TELL}|none of )",
    r"{SOURCES} (?:{TELL}|makes?) (?-i:no|nothing|insufficient|too little)\b(?! (?:else|but|other)\b)",
    r"{SOURCES} (?:(?:is|are) (?:silent|not enough|not sufficient|{OPEN})|lacks?)\b",
    "(?:none of {SOURCES}|neither(?: of {SOURCES}| {SOURCE})|no {SOURCE}|nothing(?: in {SOURCES})) "
    "{QUITE}{TELL}",
    r"{MATTER}{IS}(?:{NOT} {QUITE}(?!(?<=never\s)found){GIVEN}| {QUITE}{OPEN}){END}",
    "{MATTER}{IS}(?: {OPEN}|{NOT} {QUITE}{GIVEN})(?: from {SOURCES})? {ASKS}",
    r"{MATTER}{IS}(?:{NOT} in {SOURCES}{END}|(?:{NOT} possible| impossible) to {LEARN}\b)",
    r"{MATTER}{IS}(?:{NOT} (?:enough|sufficient)| insufficient) to\b",
    r"{MATTER} {CANNOT} be {QUITE}{LEARNT}\b(?! (?:as|with)\b(?! {SOURCES}))",
)
# "I don't know for sure, but it is probably Oslo", not "The passages don't say, but they mention a town".
_GUESSES = (
    "(?:but|however|though)\\b(?!,? (?:they|it|{SOURCES}) (?:(?:only|just|do(?:es)?|merely) )?"
    r"(?:{TELL}|discuss(?:es)?|refers?|notes?|do(?:es)? not)\b)",
    r"(?:my (?:best )?guess|most likely|probably|presumably|i (?:think|believe)|(?:appears?|seems?) to)\b",
)


@cache  # compiled when it is first needed: every command would wait for it
def _any_of(forms: tuple[str, ...], lead: str) -> re.Pattern[str]:
    pattern = f"{lead}(?:{'|'.join(forms)})"
    while found := re.search(r"\{([A-Z]+)\}", pattern):
        pattern = pattern.replace(found[0], _PHRASES[found[1]])
    return re.compile(pattern, re.IGNORECASE)


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
    """Whether the answer has no word or says that it can't be given, in MultiHop-RAG's words or in others.

    tests/data/abstentions.yaml has sentences of both kinds. An answer that guesses after all is none.
    """
    if not any(map(str.isalnum, prediction)):
        return True
    text = " ".join(prediction.split())
    found = _any_of(_ABSTENTIONS, _LEAD).match(text)
    return found is not None and _any_of(_GUESSES, r"\b").search(text, found.end()) is None


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
_BESIDE = r"(?:near|outside|beyond|unlike|other than|except|around|approximately|roughly|circa|nearly|almost)"
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
    r"^\W*(?:(?P<yes>that(?: is|['\u2019]s) (?:correct|true|right))|"
    r"(?P<no>that(?: is|['\u2019]s) (?:incorrect|false|wrong|not (?:correct|true|right))|"
    r"(?:it|they|he|she) (?:did|was|were|is|are|has|have|had)(?: not|n['\u2019]t)))\b",
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
    denial, or another name or number beside it that could be meant instead. Doubts and names of the question
    and names of its `chain` (the entities on the way) may stand there; a number doesn't compete with a name.
    Where the answer says "the answer is ...", what follows counts. A gold answer of yes or no is decided by
    what the answer asserts, so that "There is no doubt: yes" is a yes.
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
    stated = _ORDINAL.sub(r"\1", _CITATION.sub(" ", _stated(given)))
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


def decides(text: str, key: str) -> bool | None:
    """Whether the text asserts what a key of yes or no says; None where the key is another."""
    wanted = normalise_answer(key)
    if wanted not in _DECIDED:
        return None
    said = _stated(text)
    asserted = {one.lastgroup for one in [*_ASSERTED.finditer(said)] or _IMPLIED.finditer(said)}
    return asserted == {wanted}


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
