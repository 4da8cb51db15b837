"""What counts as a right answer: exact match, token F1, abstention, and questions that have no answer."""

import re
import string
from collections import Counter
from collections.abc import Iterable

INSUFFICIENT = "Insufficient information"
"""How a reader abstains, and the gold answer of a question without one (MultiHop-RAG)."""

EXACT_MATCH = "exact match"
HAND = "hand"
"""Who judged an answer, where it was no model."""

NULL = "null"
"""The kind of a question that no article answers, and the query type of an imported one."""

_PUNCTUATION = frozenset(string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")

# What may follow the phrase so that it is still a refusal ("Insufficient information to answer."), and
# not the start of a name or a clause ("Insufficient information security let the thieves in").
_ABSTENTION = re.compile(
    r"""[\W_]*
        (?:(?:the\s+)?answer(?:\s+is)?[\W_]+)?
        (?:there\s+is\s+)?
        insufficient\s+information
        (?:[\s_*"'\u201d\u2019)]*(?:$|[.,;:!?\u2013\u2014])
         |\s+(?:to|in|is|was|from|on|about|for|given|provided|available|based)\b)""",
    re.IGNORECASE | re.VERBOSE,
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


def any_word_match(given: str, gold: str) -> bool:
    """Whether an answer counts as right by the script of MultiHop-RAG (`has_intersection` in qa_evaluate.py).

    Both are put in small letters and split at white space; one word in common is enough, "the" as well as a
    name. Punctuation stays, so that "Yes." is no "Yes".
    """
    return not set(given.lower().split()).isdisjoint(gold.lower().split())


def is_abstention(prediction: str) -> bool:
    """Whether the answer is empty or says "Insufficient information", MultiHop-RAG's null answer."""
    return not prediction.strip() or _ABSTENTION.match(prediction) is not None


def counted_kind(kind: str, query_type: str | None) -> str:
    """The kind that a question counts as: an imported one without an answer is a null question, too."""
    return NULL if query_type == NULL and kind == "imported" else kind


def is_right(fits: bool, *, null: bool, abstained: bool, failed: bool) -> bool:
    """Whether an answer counts as right, where nobody has judged it by hand.

    `fits` is the verdict of whatever decides in the run: exact match, or a judge. A null question is answered
    right by an abstention, in whatever words (MultiHop-RAG, section 4), and an answer that failed never is.
    `Answer.correct` in the graph holds this from the answer on; after each verdict `verdicts/settle_answers`
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


def _comparable(text: str) -> str:
    # Normalising leaves nothing of the answer "A" or "?", and every other such answer would equal it.
    return normalise_answer(text) or " ".join(text.lower().split())


def _f1(predicted: Counter[str], words: int, accepted: Counter[str]) -> float:
    if not predicted or not accepted:
        return float(predicted == accepted)
    # Over the words of the accepted answer, which are few, however long the prediction is.
    shared = sum(min(times, predicted[word]) for word, times in accepted.items())
    return 2 * shared / (words + accepted.total())
