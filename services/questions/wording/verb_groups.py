"""Verb groups of a predicate as questions need them: agreeing, inverted, passive, active again."""

from services.questions.wording import verbs
from services.questions.wording.predicates import Predicate
from services.questions.wording.verbs import BE, DO, HAVE, MODALS

_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does", "am": "is"}
_PLURAL = {"is": "are", "was": "were", "has": "have"}


def is_plural(found: Predicate) -> bool:
    """Whether the predicate stands with a subject in the plural: "are based in", "compete in"."""
    first = found.auxiliaries[0] if found.auxiliaries else found.verb
    if first in BE | HAVE | DO | MODALS:
        return first in {"are", "were", "have", "do"}
    return first == verbs.base(first) and not verbs.is_past(first)


def is_present(found: Predicate) -> bool:
    """Whether the predicate tells of what is, rather than of what was."""
    first = found.auxiliaries[0] if found.auxiliaries else found.verb
    if first in BE | HAVE | DO | MODALS:
        return first not in {"was", "were", "had", "did", "would", "been"}
    return not verbs.is_past(first)


def finite(found: Predicate) -> str:
    """The group behind a described subject, which is one: "are based" -> "is based"."""
    if found.auxiliaries:
        first = _SINGULAR.get(found.auxiliaries[0], found.auxiliaries[0])
        return " ".join((first, *found.auxiliaries[1:], found.verb))
    if found.verb in _SINGULAR:
        return _SINGULAR[found.verb]
    return verbs.third(verbs.base(found.verb)) if is_plural(found) else found.verb


def inverted(found: Predicate, plural: bool = False) -> tuple[str, str]:
    """What stands before the subject of a question and what behind it: ("does", "breed")."""
    if found.auxiliaries:
        first = found.auxiliaries[0]
        behind = " ".join((*found.auxiliaries[1:], found.verb))
        return (first if plural else _SINGULAR.get(first, first)), behind
    if found.verb in BE:
        return (found.verb if plural else _SINGULAR.get(found.verb, found.verb)), ""
    infinitive = verbs.base(found.verb)
    if not is_present(found):
        return "did", infinitive
    return ("do" if plural else "does"), infinitive


def passive(found: Predicate, plural: bool = False) -> str:
    """The active group said of its object: "sequenced" -> "was sequenced", "has won" -> "has been won"."""
    done = verbs.participle(verbs.base(found.verb))
    if not found.auxiliaries:
        be = "is" if is_present(found) else "was"
    else:
        first = _SINGULAR.get(found.auxiliaries[0], found.auxiliaries[0])
        if first in BE:
            be = f"{first} being"
        elif first in HAVE:
            be = f"{first} been"
        elif first in DO:
            be = "is" if first == "does" else "was"
        else:
            be = f"{first} be"
    word, _, rest = be.partition(" ")
    words = (_PLURAL.get(word, word) if plural else word, *((rest,) if rest else ()), done)
    return " ".join(words)


def participle(found: Predicate) -> str:
    """The participle of an active verb, with "being" where the deed goes on."""
    done = verbs.participle(verbs.base(found.verb))
    return f"being {done}" if found.auxiliaries and found.auxiliaries[0] in BE else done


def agentive(found: Predicate) -> str:
    """What the agent of a passive does: "is governed" -> "governs", "has been run" -> "has run"."""
    infinitive = _unpassive(found.verb)
    first = _SINGULAR.get(found.auxiliaries[0], found.auxiliaries[0])
    if first in HAVE:
        return f"{first} {found.verb}"
    if first in MODALS:
        return f"{first} {infinitive}"
    return verbs.past(infinitive) if first == "was" else verbs.third(infinitive)


def can_be_reduced(found: Predicate) -> bool:
    """Whether a passive can do without its auxiliary: "the place (that is) governed by"."""
    return found.voice == "passive" and len(found.auxiliaries) == 1 and found.auxiliaries[0] in BE


def _unpassive(done: str) -> str:
    """The infinitive of a participle, where a form is ambiguous: "founded", "found"."""
    fitting = [lemma for lemma in verbs.known_lemmas(done) if verbs.participle(lemma) == done]
    return fitting[0] if fitting else verbs.base(done)
