"""Verb groups as readable predicates, and who does what a verb says."""

from dataclasses import dataclass

from spacy.tokens import Token

from kg.extract.noun_phrases import conjuncts, is_relative, person_described, stands_for
from kg.extract.reading import Reading
from kg.text import inflection
from kg.text.lexicon import (
    DIRECTIONS,
    DOUBT_ADVERBS,
    FAILING_VERBS,
    HEARSAY_ADVERBS,
    INTRANSITIVE_VERBS,
    NEGATIVE_ADVERBS,
    OBJECT_CONTROL_VERBS,
    OUTCOME_VERBS,
)

MAX_CLAUSE_DEPTH = 4
"""How far a subject is sought up a chain of joined verbs."""

_EXPANDED = {"'ll": "will", "'ve": "have", "'re": "are", "'m": "am", "ca": "can", "wo": "will", "n't": "not"}
_AUXILIARIES = frozenset({"aux", "auxpass"})
_ARGUMENTS = frozenset({"nsubj", "nsubjpass", "dobj", "attr"})
_DOING = {"VBD": "did", "VBZ": "does", "VBP": "do"}
_PARTICIPLE_CLAUSES = frozenset({"advcl", "acl", "relcl", "conj", "pcomp"})
_STANDING = frozenset({"base", "headquarter", "locate", "situate"})
"""Verbs of where something is: behind a present verb their bare participle is present as well."""
_FACTUAL_PREPOSITIONS = frozenset({"after", "by", "while", "since"})


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """The words of a predicate ("was not acquired") and whether they deny it."""

    text: str
    negated: bool


@dataclass(frozen=True, slots=True)
class _Words:
    placed: tuple[tuple[float, str], ...]
    negated: bool

    def joined(self) -> str:
        return " ".join(word for _, word in sorted(self.placed))


def is_verb(token: Token) -> bool:
    """Whether the token is a full verb or a copula."""
    if token.pos_ not in {"VERB", "AUX"} or token.dep_ in _AUXILIARIES:
        return False
    return token.pos_ == "VERB" or token.lemma_ in {"be", "have", "do", "'s", "'re"}


def is_copula(token: Token) -> bool:
    """Whether the token is a form of "be" that links a subject to what it is."""
    return token.lemma_ in {"be", "'s", "'re"} and token.pos_ == "AUX"


def has_passive(token: Token) -> bool:
    """Whether an auxiliary makes the verb passive."""
    return any(child.dep_ == "auxpass" for child in token.children)


def to_infinitive(token: Token) -> bool:
    """Whether the verb is introduced by "to"."""
    return any(child.dep_ == "aux" and child.lower_ == "to" for child in token.children)


def subjects(reading: Reading, verb: Token, depth: int = 0) -> list[Token]:
    """Whose deed the verb is, found through relative, joined and participle clauses."""
    if depth > MAX_CLAUSE_DEPTH:
        return []
    for child in verb.children:
        if child.dep_ in {"nsubj", "nsubjpass"}:
            if not is_relative(child) and child.lower_ != "what":
                return [stands_for(reading, token) for token in conjuncts(reading, child)]
            above = reading.name_at(verb.head)
            mismatch = (
                child.lower_ == "which" and above is not None and above.type == "PERSON" and " " in above.text
            )
            loose = child.lower_ != "who" and _hangs_on(verb.head) in {"of", "between"}
            loose = loose or (above is not None and _defines(child, verb.head, above.type))
            relative = verb.dep_ == "relcl" and child.lower_ != "what" and not mismatch and not loose
            who = _person_above(reading, verb.head) if relative and child.lower_ == "who" else None
            return [who or stands_for(reading, verb.head)] if relative else []
        if child.dep_ in {"expl", "csubj", "csubjpass"}:
            return []
    return _subjects_from_above(reading, verb, depth)


def _hangs_on(noun: Token) -> str:
    """The preposition that a noun, or what it is joined to, stands behind."""
    while noun.dep_ in {"conj", "appos"}:
        noun = noun.head
    return noun.head.lower_ if noun.dep_ == "pobj" else ""


def _defines(pronoun: Token, noun: Token, kind: str) -> bool:
    """ "A force to patrol the Gulf which ...": without a comma "which" tells nothing of a name."""
    return pronoun.lower_ == "which" and pronoun.i == noun.i + 1 and kind in {"GPE", "LOC", "PERSON"}


def _person_above(reading: Reading, head: Token) -> Token | None:
    """ "He was a member of the Senate, who ...": the subject, where what stands before "who" is no person."""
    above = reading.name_at(head)
    if above is None or above.type in {"PERSON", "MISC", "NORP", "WORK"}:
        return None
    noun = head
    while noun.dep_ in {"pobj", "prep", "conj", "appos"}:
        noun = noun.head
    return person_described(reading, noun)


def _subjects_from_above(reading: Reading, verb: Token, depth: int) -> list[Token]:
    """The subject of a verb that has none of its own."""
    head = verb.head
    if verb.tag_ == "VBG" and verb.i and (verb.i - 1) in reading.entity_at:
        return []  # "based on Ana Brel misleading them": who stands right before did it
    if verb.dep_ == "acl":
        stray = verb.tag_ == "VBG" and head.dep_ == "pobj" and reading.named(head) is not None
        return [stands_for(reading, head)] if verb.tag_ in {"VBN", "VBG", "VBD"} and not stray else []
    controllers = [child for child in head.children if child.dep_ == "dobj"]
    if verb.dep_ == "xcomp" and controllers and head.pos_ == "VERB":
        # otherwise the infinitive is a purpose ("sang to win"), which need not have come true
        return conjuncts(reading, controllers[0]) if head.lemma_ in OBJECT_CONTROL_VERBS else []
    above = head.head if verb.dep_ == "pcomp" else head
    return subjects(reading, above, depth + 1) if _shares_subject(verb, above) else []


def _shares_subject(verb: Token, above: Token) -> bool:
    if above.pos_ not in {"VERB", "AUX"}:
        return False
    if verb.dep_ == "pcomp":
        # "after beating Y, X ..." tells a deed of the main verb's subject
        return verb.head.lower_ in _FACTUAL_PREPOSITIONS and verb.tag_ == "VBG"
    if verb.dep_ == "advcl":
        outcome = verb.lemma_ in OUTCOME_VERBS and verb.tag_ == "VBG" and verb.i > above.i
        marked = any(child.dep_ == "mark" for child in verb.children)
        return verb.tag_ in {"VBG", "VBN"} and not marked and not outcome and not _is_of_object(verb, above)
    return verb.dep_ in {"conj", "xcomp"}


def _is_of_object(verb: Token, above: Token) -> bool:
    """ "Smuggled them out disguised as a crew": a participle behind an object is rather said of that."""
    acted = any(child.dep_ == "dobj" and child.i < verb.i for child in above.children)
    before = verb.left_edge
    timed = any(child.lower_ in {"when", "once"} for child in verb.children)
    return verb.tag_ == "VBN" and acted and not timed and verb.i > above.i and before.nbor(-1).text != ","


def verb_group(verb: Token, depth: int = 0) -> VerbGroup:
    """The predicate as it reads in the sentence, with the auxiliaries of the verbs it is joined to."""
    own = _own_words(verb)
    if depth > MAX_CLAUSE_DEPTH:
        return VerbGroup(own.joined(), own.negated)
    head = verb.head
    if verb.dep_ == "xcomp" and head.pos_ in {"VERB", "AUX"}:
        return _complement(verb, own, head, depth)
    if verb.dep_ == "conj" and head.pos_ in {"VERB", "AUX"} and not _has_auxiliary(verb):
        return _joined(verb, own, head, depth)
    return VerbGroup(own.joined(), own.negated)


def _own_words(verb: Token) -> _Words:
    placed: list[tuple[float, str]] = []
    negated = False
    for child in verb.children:
        word = child.lower_
        if word == "longer" and any(before.lower_ == "no" for before in child.children):
            negated = True
            placed.append((min(child.i, verb.i - 0.5), "no longer"))
        elif child.dep_ == "neg" or (child.dep_ == "advmod" and word in NEGATIVE_ADVERBS):
            negated = True
            placed.append((child.i, _EXPANDED.get(word, word)))
        elif (child.dep_ == "advmod" and _belongs(child, verb)) or child.dep_ == "prt":
            placed.append((child.i, word))
        elif child.dep_ in _AUXILIARIES and word != "to":
            placed.append((child.i, _expanded(child, verb)))
    form = _finite_form(verb)
    if not negated and _is_neither(verb):
        negated = True
        auxiliary = _DOING.get(verb.tag_) if not _has_auxiliary(verb) and verb.lemma_ != "be" else None
        placed.append((verb.i - 0.5, f"{auxiliary} not" if auxiliary else "not"))
        form = verb.lemma_ if auxiliary else form
    placed.append((verb.i, form))
    return _Words(tuple(placed), negated)


def _is_neither(verb: Token) -> bool:
    """Whether "neither" or "nor" denies the verb, its subject or its object."""
    if verb.dep_ == "conj" and any(child.lower_ == "nor" for child in verb.head.children):
        return True
    parts = [child for child in verb.children if child.dep_ in _ARGUMENTS]
    return any(
        word.lower_ == "neither" or (word.lower_ == "nor" and part.i != verb.i)
        for part in (verb, *parts)
        for word in part.children
        if word.dep_ in {"preconj", "cc", "det", "advmod"}
    )


def _belongs(adverb: Token, verb: Token) -> bool:
    """Whether the predicate would say something else without the adverb."""
    return adverb.lower_ in DOUBT_ADVERBS | HEARSAY_ADVERBS or (
        adverb.lower_ in DIRECTIONS and adverb.i == verb.i + 1
    )


def _expanded(auxiliary: Token, verb: Token) -> str:
    word = auxiliary.lower_
    if word == "'s":
        return "has" if verb.tag_ == "VBN" and auxiliary.dep_ != "auxpass" else "is"
    if word == "'d":
        return "had" if verb.tag_ == "VBN" else "would"
    return _EXPANDED.get(word, word)


def _finite_form(verb: Token) -> str:
    """The verb's word; a bare participle becomes finite ("beating" -> "beat", "founded" -> "was founded")."""
    word = {"'s": "is", "'re": "are", "'m": "am"}.get(verb.lower_, verb.lower_)
    if _has_auxiliary(verb) or verb.dep_ not in _PARTICIPLE_CLAUSES:
        return word
    if verb.tag_ == "VBG" and not (verb.dep_ == "conj" and _has_auxiliary(verb.head)):
        if verb.dep_ == "conj" and verb.head.dep_ == "xcomp":
            return word
        return _inflected(verb.lemma_, "VBD" if _is_past(verb) else "VBZ") or word
    passive_clause = verb.dep_ == "acl" and verb.tag_ in {"VBN", "VBD"}
    passive_clause = passive_clause or (verb.dep_ == "advcl" and verb.tag_ == "VBN")
    if verb.dep_ == "conj" and verb.tag_ == "VBN" and verb.head.dep_ in {"acl", "advcl"}:
        passive_clause = not _has_auxiliary(verb.head)
    acts = any(child.dep_ == "dobj" for child in verb.children)
    if not passive_clause or acts:
        return word
    return f"is {word}" if verb.lemma_ in _STANDING and not _is_past(verb) else f"was {word}"


def _has_auxiliary(verb: Token) -> bool:
    return any(child.dep_ in _AUXILIARIES for child in verb.children)


def _is_past(verb: Token) -> bool:
    """The tense of the finite verb above."""
    above = verb.head
    while above.head.i != above.i and (above.pos_ not in {"VERB", "AUX"} or above.tag_ == "VBG"):
        above = above.head
    if above.tag_ in {"VBZ", "VBP"}:
        return False
    return not any(child.dep_ == "aux" and child.tag_ in {"MD", "VBZ", "VBP"} for child in above.children)


def plain_lemma(verb: Token) -> str:
    """The verb's lemma, without "co-" and its like."""
    prefix, _, rest = verb.lower_.rpartition("-")
    found = inflection.lemmas(rest, "VERB") if prefix else ()
    return str(found[0]) if found else verb.lemma_


def participle(verb: Token) -> str:
    """The verb's past participle."""
    return _inflected(verb.lemma_, "VBN") or verb.lower_


def _inflected(lemma: str, tag: str) -> str:
    forms = inflection.forms(lemma, tag)
    return str(forms[0]) if forms else ""


def _complement(verb: Token, own: _Words, head: Token, depth: int) -> VerbGroup:
    """ "voted to hold", "began working"; with an object in control "was asked to hold"."""
    above = verb_group(head, depth + 1)
    to = "to " if to_infinitive(verb) else ""
    negated = own.negated or above.negated or head.lemma_ in FAILING_VERBS
    if any(child.dep_ == "dobj" for child in head.children):
        be = "is" if head.tag_ in {"VBZ", "VBP"} else "was"
        return VerbGroup(f"{be} {participle(head)} {to}{own.joined()}", negated)
    return VerbGroup(f"{above.text} {to}{own.joined()}", negated)


def _joined(verb: Token, own: _Words, head: Token, depth: int) -> VerbGroup:
    """A verb behind "and" shares the auxiliaries of the first: "was arrested and charged"."""
    if verb.lemma_ in INTRANSITIVE_VERBS and has_passive(head):
        return VerbGroup(own.joined(), own.negated)
    same_form = verb.tag_ == head.tag_ or {verb.tag_, head.tag_} == {"VBN", "VBD"}
    if verb.tag_ == "VB" and head.dep_ == "xcomp" and to_infinitive(head):
        before = verb_group(head, depth + 1).text.rpartition(" to ")[0]
        return VerbGroup(f"{before} to {own.joined()}" if before else own.joined(), own.negated)
    if not same_form or not _has_auxiliary(head) or (verb.tag_ == "VBD" and not has_passive(head)):
        return VerbGroup(own.joined(), own.negated)
    if verb.tag_ == "VBD" and verb.lower_ != participle(verb):
        return VerbGroup(own.joined(), own.negated)  # "was briefed and flew"
    acts = has_passive(head) and any(child.dep_ == "dobj" for child in verb.children)
    if acts or any(child.dep_ in {"nsubj", "nsubjpass"} for child in verb.children):
        return VerbGroup(own.joined(), own.negated)
    shared = [
        (child.i, _expanded(child, head))
        for child in head.children
        if child.dep_ in _AUXILIARIES and child.i < head.i and child.lower_ != "to"
    ]
    shared += [(child.i, "not") for child in head.children if child.dep_ == "neg"]
    denied = any(child.dep_ == "neg" for child in head.children)
    words = _Words((*shared, *own.placed), own.negated or denied)
    return VerbGroup(words.joined(), words.negated)
