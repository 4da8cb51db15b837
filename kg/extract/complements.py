"""What a verb needs beside an object or a name: without it the statement would be half of one."""

from spacy.tokens import Token

from kg.extract.verbs import has_passive, to_infinitive

_SEEING_VERBS = frozenset(
    {
        "suggest",
        "describe",
        "see",
        "view",
        "regard",
        "use",
        "portray",
        "treat",
        "list",
        "cite",
        "characterize",
    }
)
_PUTTING_VERBS = frozenset({"place", "put", "withdraw"})
_NEEDED_BEHIND = {
    **dict.fromkeys(_SEEING_VERBS, frozenset({"as"})),
    **dict.fromkeys(("credit", "charge", "tie", "replace", "associate"), frozenset({"with"})),
    **dict.fromkeys(
        ("blame", "thank", "praise", "criticize", "criticise", "sue", "fault"), frozenset({"for"})
    ),
    **dict.fromkeys(("accuse", "convict", "remind", "strip", "suspect", "deprive"), frozenset({"of"})),
    **dict.fromkeys(("sentence", "compare", "subject", "commit", "link"), frozenset({"to"})),
    **dict.fromkeys(("prevent", "stop"), frozenset({"from"})),
}
"""What behind the object says what the deed was: "credited her with", "sentenced him to"."""
_OFFICE_VERBS = frozenset({"appoint", "nominate", "name", "drop", "describe", "credit", "accuse", "sentence"})
"""Passives whose day says little without what else is told: "was dropped by MSNBC in"."""
_ANSWERING_VERBS = frozenset({"react", "respond", "reply"})
_ANSWERED = frozenset({"to", "against", "with"})
_TELLING_WHAT = frozenset({"to", "as", "into", "with", "of"})
_ASKING_VERBS = frozenset({"call", "appeal", "press", "push", "rely", "count", "wait", "pay", "ask", "wish"})


def object_is_half(verb: Token, thing: Token) -> bool:
    """Whether more than the object is needed: "placed Ohio under a warning", "credited NASA with"."""
    behind = {child.lower_ for child in verb.children if child.dep_ == "prep" and child.i > thing.i}
    if verb.lemma_ in _PUTTING_VERBS:
        return bool(behind)
    return not behind.isdisjoint(_NEEDED_BEHIND.get(verb.lemma_, ()))


def preposition_is_half(verb: Token, preposition: Token) -> bool:
    """Whether the verb needs another preposition's object: "described by X as", "reacted on Twitter"."""
    if verb.lemma_ in _ANSWERING_VERBS:
        return preposition.lower_ not in _ANSWERED
    needed = _NEEDED_BEHIND.get(verb.lemma_, frozenset())
    others = {child.lower_ for child in verb.children if child.dep_ == "prep" and child.i != preposition.i}
    return preposition.dep_ == "agent" and not needed.isdisjoint(others)


def day_is_half(verb: Token, preposition: Token | None) -> bool:
    """Whether a passive's day or place leaves open what was done: "was elected to his first term in"."""
    if not (has_passive(verb) or verb.tag_ == "VBN"):
        return False
    others = [child for child in verb.children if child.dep_ in {"prep", "agent"} and child != preposition]
    if verb.lemma_ in _OFFICE_VERBS:
        return bool(others)
    return verb.lemma_ == "elect" or any(child.lower_ in _TELLING_WHAT for child in others)


def is_asked_to_act(verb: Token, preposition: Token) -> bool:
    """Whether a deed is asked of what the preposition leads to: "called on X to help", "for X to stop"."""
    if verb.lemma_ not in _ASKING_VERBS or preposition.lower_ not in {"on", "upon", "for"}:
        return False
    return any(child.i > preposition.i and to_infinitive(child) for child in verb.subtree)


def is_set_apart(preposition: Token) -> bool:
    """Whether "out of" behind a comma counts those there are: "won, out of 100 members"."""
    return preposition.lower_ in {"out", "of"} and preposition.i > 0 and preposition.nbor(-1).text == ","
