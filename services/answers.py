"""What counts as a right answer: exact match, token F1, abstention, and questions that have no answer."""

import re
import string
from collections import Counter
from collections.abc import Iterable
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
    "NOUN": (
        "(?:passages?|texts?|contexts?|documents?|articles?|sources?|information|evidence|excerpts?|"
        "sentences?|snippets?|items|materials?|data(?: ?(?:base|set))?|corpus|collections?|"
        "knowledge[ -]?base|documentation|search results)"
    ),
    "SOURCES": (
        "(?:(?:(?:any|all|none) of )?(?:(?:all|the|these|those|this|my|our|your) )*"
        "(?:(?:given|provided|retrieved|available|supplied|source|news|relevant) )*{NOUN}(?: \\d+)?"
        "(?: (?:in|from|of) (?:the|my|our|your) {NOUN})?{ATHAND}|{WHATIHAVE})"
    ),
    # "The articles (that) I was given", "the information available to me", "the documents on file".
    "ATHAND": (
        "(?: (?:that )?(?:(?:is|was|are|were|i was) )?"
        "(?:given|provided|retrieved|available|supplied|above|here|alone)(?: to (?:me|us|you))?|"
        "(?: (?:that|which))? {WE}{SAW}| that came up)?"
        "(?: (?:on file|(?:on|at|to) hand|at (?:my|our) disposal))?"
    ),
    "WHATIHAVE": "what (?:{WE}{SAW}|is (?:given|provided|here|available))",
    "WE": "(?:i|we|you)",
    "SAW": (
        "(?:['\u2019](?:ve|d|m|re))?(?: (?!(?:\\w+n['\u2019]t|not|never|and|but|or|so|that|who|which|because|"
        "says?|states?|names?|tells?|shows?|mentions?|identif(?:y|ies))\\b)[\\w\u2019'-]+){1,7}?"
    ),
    "SOURCE": "(?-i:passages?|texts?|documents?|articles?|sources?|sentences?){ATHAND}",
    "CANNOT": "(?:cannot|can not|can['\u2019]?t|could not|couldn['\u2019]t)",
    "DONT": "(?:do not|don['\u2019]?t|did not|didn['\u2019]t)",
    "UNABLE": (
        "(?:(?:(?: (?:am|are|was|were)|['\u2019](?:m|re)) (?:unable|not able)|"
        " (?:are|was|were)n['\u2019]t able|(?: have|['\u2019]ve)(?: not|n['\u2019]t) been able) to)"
    ),
    "MISSING": (
        "(?:(?:relevant|further|specific|such|direct|explicit|definitive|clear|public|more|additional) )*"
        "(?:information|info|evidence|contexts?|data|details?|mention|answer|indication|reference|records?|"
        "results?|trace|clue)"
    ),
    "GIVEN": (
        "(?:specified|stated|mentioned|given|provided|known|clear|named|available|disclosed|included|indicated|"
        "found|present|identified|reported|listed|covered|addressed|revealed|answered|recorded|described|"
        "discussed|explained|made (?:public|clear)|enough|sufficient)"
    ),
    "OPEN": (
        "(?:unknown|unclear|unanswerable|unspecified|unstated|undisclosed|undetermined|indeterminate|"
        "not clear|uncertain|missing|insufficient|inconclusive)"
    ),
    "TELL": (
        "(?:says?|tells?|states?|mentions?|specif(?:y|ies)|contains?|provides?|gives?|includes?|names?|"
        "identif(?:y|ies)|answers?|indicates?|discloses?|reveals?|reports?|lists?|shows?|covers?|"
        "address(?:es)?|offers?|explains?|describes?|discuss(?:es)?|clarif(?:y|ies)|refers? to|"
        "go(?:es)? into|deals? with|touch(?:es)? on|ha(?:ve|s)\\b|"
        "makes? (?:it |this |that )?(?:clear|possible|plain)\\b)"
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
    "QUITE": r"(?:(?!only\b)\w+ly )?",
    "ABOUT": "(?:about|on|regarding|concerning|relating to)",
    "STOP": "[\\s_*\"'\u201d\u2019)]*(?:$|[.,;:!?\u2013\u2014])",
    "WITHIN": "(?: (?:anywhere )?(?:in|from|by|with|within|based on) (?:any(?: of)? )?{SOURCES})",
    "END": "{WITHIN}?{STOP}",
    # "The name of the founder", and not "His birthplace is Oslo, which": what is said to be missing.
    "MATTER": (
        "(?:it|(?:the|this|that|his|her|its|their|your|an?)"
        "(?: (?!(?:is|are|was|were|says?|said|states?|that|which|who)\\b)[\\w\u2019'-]+){0,8}?|that|this|"
        "{MISSING}(?: (?:about|on)(?: [\\w\u2019'-]+){1,6}?)?|"
        "(?:who|what|when|where|which|how|whether)(?: [\\w\u2019'-]+){1,12}?)"
    ),
    # Anything, by its name too: only where the sources are said to lack it.
    "ANYTHING": (
        "(?!(?:{ASKS}|(?:that|he|she|they|but|other)\\b))[\\w\u2019'.&-]++"
        "(?: (?!(?:is|are|was|were|says?|said|states?|that|which|who|but|other)\\b)[\\w\u2019'.&-]++){0,8}?"
    ),
    "IS": "(?:['\u2019]s| (?:is|are|was|were|remains?))",
}
_LEAD = (
    r"[\W_]*+(?:(?:(?:(?:the )?(?:final )?answer(?: is)?|(?:i am |i'm )?sorry|(?:my )?apologies|"
    "unfortunately|regrettably|sadly|hmm+|thus|therefore|so|hence|i['\u2019]?(?: a)?m afraid|"
    "as far as i can (?:see|tell)|it (?:appears|seems|looks (?:like|as (?:if|though))))\\b[\\W_]*+"
    "(?:but |that )?|"
    "(?:based (?:only |solely )?on|according to|judging by|given|from|in|with|"
    "after (?:reading|reviewing|searching)) {SOURCES},? |"
    "(?:beyond|besides|apart from|aside from) [^.,;:]{1,80}, |"
    "(?:i|we)(?: have|['\u2019]ve)? (?:searched|looked|checked|read|reviewed|examined|went|gone)\\b"
    "[^.;:]{0,80}?(?:,? (?:but|and|yet)|[.;:]) )){0,3}"
    r"(?:(?:as|since|because) (?={SOURCES}\b|none\b|no\b|nothing\b|there\b))?"
)
_ABSTENTIONS = (
    # "Insufficient information", and not "Insufficient information security let the thieves in".
    "(?:(?:there (?:is|are|was|were)|there['\u2019]s|(?:i|we) have|i (?:\\w+ ){0,4}(?:found|see)) )?"
    "(?:insufficient|not enough|not sufficient|no) {MISSING}(?:{STOP}|"
    " (?:(?:is|was|are|were) )?{GIVEN}\\b(?! against\\b)|"
    " (?:to|in|from|on|about|for|of|as|regarding|concerning|based|that|{ASKS})\\b)",
    r"no (?:relevant )?{SOURCE} (?:(?:is|was|were) )?{GIVEN}\b",
    r"there (?:is|are|was|were){NOT} (?:(?:enough|any|sufficient) (?:{MISSING}\b|{SOURCES} {ABOUT}\b)|"
    "(?:anything|enough) (?:in {SOURCES}|{ABOUT})\\b)",
    r"(?:there is )?nothing (?:in|about|is {GIVEN}|is said)\b(?=.*\b{SOURCES})",
    "there(?: (?:is|was)|['\u2019]s) nothing (?:here )?{ABOUT}\\b",
    "there (?:is|are|was|were) no (?:such )?{SOURCES} {ABOUT}\\b",
    "there(?: is|['\u2019]s) no way (?:for (?:me|us) )?to {LEARN}\\b",
    r"(?:i|we|one|you)(?:(?: (?:really|simply|just))? (?:{DONT}|{CANNOT})|{UNABLE}) {QUITE}{LEARN}\b",
    "(?:i|we)(?: have|['\u2019]ve)?(?: not|n['\u2019]t) (?:found|seen|located|identified)\\b",
    "(?:i|we) (?:{DONT} have anything|(?:{DONT} have|lack|have no) (?:\\w+ ){0,3}?"
    "(?:{MISSING}|{SOURCES}))\\b",
    "(?:i|we) {DONT} (?:believe|think) (?:that )?{SOURCES} {TELL}",
    "(?:i|we) (?:\\w+ ){0,4}?(?:find|found|have|see|saw|located) "
    "(?:nothing {ABOUT}|no (?:such )?(?:{MISSING}|{SOURCES})|{SOURCES}[^.;]{0,120}? but "
    "(?:none|nothing) (?:{ABOUT}|{TELL}))\\b",
    "i['\u2019]?(?: a)?m not (?:sure|certain)\\b",
    "(?:i|we)(?: (?:am|are|was|were)|['\u2019](?:m|re)){NOT} (?:given|told|shown)\\b",
    # "Unable to determine", and not "Unable to find a buyer, the company was sold".
    r"(?:unable to|{CANNOT}) (?:be (?-i:{LEARNT})|(?-i:{LEARN}))\b"
    r"(?![^.,;:]{0,80}, (?:he|she|they|the (?!{NOUN}\b)\w+) )",
    r"{DONT} (?-i:find|see|locate)\b",
    "(?:not {GIVEN}|(?!missing\\b){OPEN}|(?:information|info|data|answer) (?:is )?not {GIVEN}|"
    "not (?:sure|determinable)|no idea|not in {SOURCES}|none (?:is |was )?{GIVEN}){END}",
    "(?:none|n/a|idk|null|no answer|no info)[\\s_*\"'\u201d\u2019)]*(?:$|[.!(])",
    r"unknown\s*\(",
    r"no answer (?:(?:is|was|can be|could be) )?(?:found|given|possible|available)\b",
    "no(?-i:body| one) (?-i:knows)(?:{END}| {ASKS})",
    "{SOURCES} (?:"
    "(?:do{NOT}|does{NOT}|did{NOT}|never|fails? to) (?:(?:appear|seem) to )?{QUITE}"
    "(?:{TELL}|allow|permit|let|suffice|support)|"
    "(?:only )?(?:mentions?|discuss(?:es)?|refers? to|describes?|are about) (?:(?! as the\\b)[^.;]){0,120}?"
    r"\b(?:but|and) (?:(?:they |it )?(?:do(?:es)?{NOT} {QUITE}{TELL}|{TELL} no\b)|none of )|"
    "(?:only|just|merely) {TELL} [^.;]{0,120}?, (?:and )?not (?:the|its|his|her|their|{ASKS})|"
    r"(?:{TELL}|makes?) (?-i:no|nothing|insufficient|too little)\b(?! (?:else|but|other|doubt)\b)|"
    r"(?:neither {TELL}|leaves? (?:this|that|it)(?: question)? (?:open|unclear|unanswered)|"
    r"(?:falls?|stops?) short of|leaves? out)\b|"
    r"(?:(?:is|are) (?:silent|not enough|not sufficient|{OPEN})|lacks?)\b)",
    "(?:none(?: of (?:{SOURCES}|them))?|neither(?: of {SOURCES}| {SOURCE})|no {SOURCE}|"
    "nothing(?: in {SOURCES}| {WE}{SAW})) {QUITE}{TELL}",
    r"nowhere in {SOURCES} (?:is|are|was|were|do|does)\b",
    "{MATTER}(?:{IS}(?:"
    r"(?:{NOT} {QUITE}(?!(?<=never\s)found){GIVEN}| {QUITE}{OPEN}|{NOT} in {SOURCES}){END}|"
    "(?: {OPEN}|{NOT} {QUITE}{GIVEN})(?: from {SOURCES})? {ASKS}|"
    r"(?:{NOT} (?:possible|enough|sufficient)| impossible| insufficient) to {LEARN}\b|"
    "{NOT} something (?:{SOURCES} {TELL}|{WE} can {LEARN})| (?:absent|missing) from {SOURCES}{STOP}|"
    " (?:outside|beyond) (?:the scope of )?{SOURCES}{STOP})|"
    " do(?:es)?{NOT} {QUITE}(?:appear|occur){WITHIN}{STOP}|"
    r" {CANNOT} be {QUITE}{LEARNT}\b(?! (?:as|with)\b(?! {SOURCES})))",
    "no(?:body|thing| one| such)?(?: (?:of that name|{ANYTHING}))?"
    "(?: (?:(?:is|are|was|were) {GIVEN}|appears?){WITHIN}| (?:is|are|was|were) (?:mentioned|named)){STOP}",
    # By its name: "Ann Bell is not mentioned in any of the articles."
    "{ANYTHING}(?:{IS}(?:{NOT} {QUITE}{GIVEN}| absent| missing)|"
    " do(?:es)?{NOT} {QUITE}(?:appear|occur)){WITHIN}{STOP}",
)
# "I don't know for sure, but it is probably Oslo", not "The passages don't say, but they mention a town".
_GUESSES = (
    # Nor "..., but they only name a town"; "..., but it names Ann Bell" is an answer.
    "(?:but|however|though)\\b(?!,? (?:they|it|{SOURCES}) (?:(?:(?:only|just|merely) |"
    r"(?!names?\b|identif(?:y|ies)\b|gives?\b|ha(?:ve|s)\b)){TELL}|notes?\b|do(?:es)?{NOT}\b))",
    r"(?:my (?:best )?guess|most likely|probably|presumably|i (?:think|believe)|(?:appears?|seems?) to)\b",
    r"(?:better|other|else)\b[^.,;:]{0,60}? than (?-i:[A-Z])",
    r"(?<=[.,:;] )(?:(?:so|thus|hence|therefore),? )?(?:it|he|she|that|this|the (?!{NOUN}\b)\w+) "
    r"(?:is|was|are|were|must be) (?-i:[A-Z\d])",
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
    """Whether the normalised prediction equals the normalised gold answer or one of its aliases.

    SQuAD, section 6.1; AgenticRAGTracer, section 4.1 and table 1 (EM).
    """
    predicted = _comparable(prediction)
    return any(predicted == _comparable(accepted) for accepted in (gold, *aliases))


def token_f1(prediction: str, gold: str, aliases: Iterable[str] = ()) -> float:
    """Best F1 in [0, 1] between the prediction's tokens and those of the gold answer or an alias.

    Tokens are the words of the normalised answers, counted as often as they occur (SQuAD, section 6.1;
    AgenticRAGTracer, section 4.1 and table 1). An empty answer scores 1 against an empty one and 0 against
    any other.
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
