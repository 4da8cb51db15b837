"""Whether a clause states a fact, and in whose name."""

from dataclasses import dataclass, replace

from spacy.tokens import Token

from kg.extract.lexicon import DOUBT_ADVERBS, REPORTING_VERBS, UNREAL_MODALS, UNREAL_VERBS
from kg.extract.noun_phrases import phrase
from kg.extract.reading import Reading
from kg.extract.verbs import subjects

ATTRIBUTED_CONFIDENCE = 0.8
PLANNED_CONFIDENCE = 0.7
MAX_CLAUSES_ABOVE = 20

_CONDITIONS = frozenset({"if", "unless", "whether", "lest"})
_CLAUSES_ABOVE = frozenset({"ccomp", "conj", "xcomp", "advcl", "relcl", "acl", "pcomp", "prep", "parataxis"})


@dataclass(frozen=True, slots=True)
class Mood:
    """How a fact is put: denied, in someone's name, how sure."""

    confidence: float = 1.0
    negated: bool = False
    attributed_to: str = ""

    def times(self, factor: float) -> "Mood":
        """The same with a lower confidence."""
        return replace(self, confidence=self.confidence * factor)


PLAIN = Mood()


def mood_of(reading: Reading, verb: Token, negated: bool) -> Mood | None:
    """The verb's mood; None for what is only possible, wished for or asked."""
    confidence = 1.0
    source = _according_to(reading, verb) or _inserted_speaker(reading, verb)
    clause = verb
    inherits = True
    for _ in range(MAX_CLAUSES_ABOVE):
        if _is_condition(clause) or (inherits and _is_unreal(clause)):
            return None
        if inherits and any(
            child.lower_ in {"will", "'ll", "wo"} for child in clause.children if child.tag_ == "MD"
        ):
            confidence = PLANNED_CONFIDENCE
        above = clause.head
        if above.i == clause.i or clause.dep_ not in _CLAUSES_ABOVE:
            break
        if clause.dep_ in {"ccomp", "relcl"}:
            if clause.dep_ == "ccomp" and above.lemma_ in UNREAL_VERBS:
                return None
            if clause.dep_ == "ccomp" and above.lemma_ in REPORTING_VERBS:
                if any(child.dep_ == "neg" for child in above.children):
                    return None
                source = source or _speaker(reading, above)
        source = source or _according_to(reading, above) or _inserted_speaker(reading, above)
        # a finite clause has its own mood; a participle or infinitive lives in the one above
        inherits = clause.dep_ in {"xcomp", "conj"} or (
            clause.dep_ == "advcl" and clause.tag_ in {"VBG", "VBN"}
        )
        clause = above
    if source:
        confidence *= ATTRIBUTED_CONFIDENCE
    return Mood(confidence, negated, source)


def _is_condition(clause: Token) -> bool:
    if clause.pos_ not in {"VERB", "AUX"}:
        return False
    return any(child.dep_ in {"mark", "advmod"} and child.lower_ in _CONDITIONS for child in clause.children)


def _is_unreal(clause: Token) -> bool:
    for child in clause.children:
        if (
            child.dep_ == "aux"
            and child.tag_ == "MD"
            and (child.lower_ in UNREAL_MODALS or child.lower_ == "'d")
        ):
            return True
        if child.dep_ == "advmod" and child.lower_ in DOUBT_ADVERBS:
            return True
        if (
            child.dep_ == "advcl"
            and _is_condition(child)
            and any(aux.tag_ == "MD" for aux in clause.children)
        ):
            return True
    return False


def _speaker(reading: Reading, verb: Token) -> str:
    """Who says it; an unnamed speaker counts as "unnamed source"."""
    for subject in subjects(reading, verb):
        found = phrase(reading, subject)
        if found is not None:
            return found.text
    return "unnamed source"


def _inserted_speaker(reading: Reading, verb: Token) -> str:
    """Who says it, where the verb of saying is put in between: "she was, X testified, ..."."""
    for child in verb.children:
        if child.dep_ == "parataxis" and child.lemma_ in REPORTING_VERBS:
            return _speaker(reading, child)
    return ""


def _according_to(reading: Reading, verb: Token) -> str:
    """The source in "according to X"."""
    for child in verb.children:
        if child.lower_ != "according":
            continue
        for part in child.subtree:
            if part.dep_ == "pobj":
                found = phrase(reading, part)
                return found.text if found is not None else ""
    return ""
