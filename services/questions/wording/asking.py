"""The question for the last entity of a chain: "Where does the organism that ... breed?"."""

from services.questions.wording.articles import (
    bare_complement,
    complement_as_subject,
    complement_of,
    is_of_many,
    is_plural_phrase,
    role_of,
)
from services.questions.wording.clauses import (
    IN_PLACES,
    NEVER_PASSIVE,
    Known,
    can_be_fronted,
    can_be_passive,
    has_complement,
    is_dative,
    is_transitive,
    joined,
    many_with,
    owns_complement,
)
from services.questions.wording.nouns import ANYTHING, UNKNOWN
from services.questions.wording.paraphrases import (
    Paraphrase,
    event_of,
    in_tense,
    is_placing,
    is_region,
    lemma_key,
    nominal_of,
    paraphrase_of,
)
from services.questions.wording.predicates import (
    POSSESSIVES,
    PREPOSITIONS,
    Predicate,
    agentive,
    finite,
    inverted,
    is_present,
    passive,
)

_DURING = frozenset({"on", "in", "at", "during", ""})
SHORT_SUBJECT = 7
"""So many words a subject may have that stands between "did" and its verb."""
_STIFF_PASSIVES = frozenset({"attend", "join", "make", "quit", "take"})
_SOMEWHERE = "which place"
_STRANDING = frozenset({"what", "how much", "what number"})


def ask(known: Known, found: Predicate, word: str, noun: str, backwards: bool = False) -> str:
    """The question from `known` along the predicate, without its mark; `word` is that of `question_word`."""
    if backwards:
        return f"{word} {finite(found)} {joined(complement_of(found), found.preposition, known.text)}"
    if noun == "date":
        return _ask_date(known, found, word)
    if found.has_agent:
        return f"{word} {joined(agentive(found), known.text, complement_of(found))}"
    if found.is_role:
        vague = word != "what" or noun in {UNKNOWN, ANYTHING}
        return _ask_role(known, found, word if vague else f"which {noun}")
    other = _in_other_words(known, found, word) if known.heavy else ""
    return other or _ask_object(known, found, word)


def _clause(word: str, known: Known, found: Predicate, *behind: str) -> str:
    """The word, the inverted clause with its complement, and what stands at the end."""
    before, after = inverted(found, known.plural)
    return joined(word, before, known.text, after, complement_of(found), *behind)


def _ask_date(known: Known, found: Predicate, word: str) -> str:
    event = event_of(found) if known.heavy and found.preposition in _DURING else ""
    if event:
        return joined(word, "is" if is_present(found) else "was", f"the {event} of", known.text)
    if found.preposition in _DURING:
        return _happened(known, found, word) or _clause(word, known, found)
    return _clause(f"{found.preposition} {word.removeprefix('in ')}", known, found)


def _happened(known: Known, found: Predicate, word: str) -> str:
    """ "When was Ann Bell impeached by the chamber that ...", so that nobody waits long for the verb."""
    words = found.complement.split()
    own = bool(words) and words[0].lower() in POSSESSIVES
    if len(known.text.split()) <= SHORT_SUBJECT or not words or words[0].lower() in PREPOSITIONS:
        return ""
    if found.voice != "active" or found.lemma in NEVER_PASSIVE | _STIFF_PASSIVES:
        return ""
    subject = f"the {bare_complement(found)}" if own else complement_as_subject(found)
    be, _, done = passive(found, is_plural_phrase(subject)).partition(" ")
    return joined(word, be, subject, done, "by", known.text)


def _ask_role(known: Known, found: Predicate, word: str) -> str:
    verb = found.verb if known.plural else finite(found)
    before, after = inverted(found, known.plural)
    if found.is_sent or (is_of_many(found) and word.startswith("which ")):
        if found.is_sent or not known.heavy:
            return joined(word, before, known.text, after, role_of(found), found.preposition)
        return f"{word}'s{many_with(known, found).removeprefix('whose')}"
    if is_of_many(found) and known.heavy and word == "who":
        return many_with(known, found)
    if word == "who":
        return f"whose {found.complement} {verb} {known.text}"
    if word.startswith("which "):
        return joined(f"{word}'s {found.complement}", before, known.text, after)
    return f"what is the thing whose {found.complement} {verb} {known.text}"


def _in_other_words(known: Known, found: Predicate, word: str) -> str:
    """The question with a long description at its end; empty where there are no other words."""
    if nominal_of(found):
        be = "was" if nominal_of(found) != "birthplace" and not is_present(found) else "is"
        asks = (
            "what" if word == _SOMEWHERE or nominal_of(found).endswith(word.removeprefix("which")) else word
        )
        return f"{asks} {be} the {nominal_of(found)} of {known.text}"
    if lemma_key(found) == "be headquarter in" and word == _SOMEWHERE:
        return f"where {'is' if is_present(found) else 'was'} the headquarters of {known.text}"
    other = paraphrase_of(found, known.noun, word.removeprefix("which "))
    if other is None or (word == "what" and other.before.startswith("whose")):
        return ""
    if other.inverted:
        return f"{_at_which_place(found, word)} {finite(found)} {known.text}"
    if is_placing(found) and word == _SOMEWHERE:
        return _ask_place(known, found)
    return f"{_said_of(other, found, word)} {known.text}"


def _said_of(other: Paraphrase, found: Predicate, word: str) -> str:
    """What stands before the description: "which club's players include", "who was married to"."""
    if other.before.startswith("whose"):
        return f"{_whose(word)}{in_tense(other, found, '').removeprefix('whose')}"
    verb = in_tense(other, found, "").strip()
    if other.verb:
        return f"{word} {verb}"
    return joined(word, "is" if is_present(found) else "was", verb)


def _at_which_place(found: Predicate, word: str) -> str:
    return "where" if word == _SOMEWHERE and found.preposition in IN_PLACES else pied(found.preposition, word)


def _ask_place(known: Known, found: Predicate) -> str:
    """A place within a place needs another word than "where", which would ask for the first one again."""
    if is_region(known.noun):
        return f"which larger place contains {known.text}"
    return f"where {'is' if is_present(found) else 'was'} {known.text}"


def _ask_object(known: Known, found: Predicate, word: str) -> str:
    if is_transitive(found):
        if known.heavy and can_be_passive(found):
            plural = word.startswith("how many")
            return joined(word, passive(found, plural), found.complement, "by", known.text)
        return _clause("whom" if word == "who" else word, known, found)
    if found.preposition in IN_PLACES and word == _SOMEWHERE:
        return _clause("where", known, found)
    right = _complement_first(known, found, word) if known.heavy and has_complement(found) else ""
    if right:
        return right
    if has_complement(found) and owns_complement(found) and word not in _STRANDING:
        before, after = inverted(found, known.plural)
        return joined(_whose(word), bare_complement(found), before, known.text, after)
    return _ask_behind_preposition(known, found, word)


def _complement_first(known: Known, found: Predicate, word: str) -> str:
    """ "To which hospital was money lent by ...": the known at the end; empty where that can't be."""
    if found.lemma in NEVER_PASSIVE:
        return ""
    bare, subject = bare_complement(found), complement_as_subject(found)
    done = passive(found, is_plural_phrase(subject))
    if is_dative(found):
        return f"{word} {passive(found)} {subject} by {known.text}"
    if owns_complement(found) and word not in _STRANDING:
        return f"{_whose(word)} {bare} {done} by {known.text}"
    if not can_be_fronted(found) or (word in _STRANDING and (word != "what" or found.preposition == "of")):
        return ""
    if found.preposition == "of":
        return f"{subject} of {'whom' if word == 'who' else word} {done} by {known.text}"
    be, _, rest = done.partition(" ")
    place = (
        "where" if word == _SOMEWHERE and found.preposition in IN_PLACES else pied(found.preposition, word)
    )
    return f"{place} {be} {subject} {rest} by {known.text}"


def _ask_behind_preposition(known: Known, found: Predicate, word: str) -> str:
    if word in _STRANDING or found.preposition in {"", "of"} or (word == "who" and not known.heavy):
        return _clause(word, known, found, found.preposition)
    return _clause(pied(found.preposition, word), known, found)


def pied(preposition: str, word: str) -> str:
    """ "for whom", "in which city"."""
    return f"{preposition} {'whom' if word == 'who' else word}"


def _whose(word: str) -> str:
    return "whose" if word == "who" else f"{word}'s"
