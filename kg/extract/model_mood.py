"""How a statement puts a fact: as what must, may or will be, as a plan, as somebody's word.

A model that takes a statement apart may leave that out, and then nobody sees it again: "must keep" becomes
"keeps". What the statement's own words tell is put back; what can't be is no sure fact.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from kg.extract.lexicon import FAILING_VERBS, PLANNING_VERBS, REPORTING_VERBS, UNREAL_VERBS, WISHING_VERBS
from kg.extract.model_requests import CONFIDENCE
from kg.model import Triple
from kg.text.head_noun import PREPOSITIONS

SAID_BY = "who says it stands in its predicate"

_MODALS = "must|shall|should|would|will|may|might|could|can|cannot"
_MODAL = re.compile(rf"\b(?:{_MODALS})\b")
_TO_COME = re.compile(r"\b(?:would|will|shall)\b|\b(?:is|are|was|were) to\b")
_HELPERS_TEXT = "is was are were be been being has have had"
_HELPERS = frozenset(_HELPERS_TEXT.split())
_BEING = _HELPERS - {"being", "has", "have", "had"}
_ENDINGS = (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("d", ""))
_SHORTEST_VERB = 2
_UNLIKE_THEIR_BASES = frozenset({"said", "says", "told", "wrote", "thought", "foretold"})
_GOVERNING = WISHING_VERBS | UNREAL_VERBS | FAILING_VERBS | PLANNING_VERBS
_SAID_TO = re.compile(
    r"\b(?:is|are|was|were|been) (?:said|reported|believed|thought) to\b.*\bby$", re.IGNORECASE
)
_NEXT_VERB = re.compile(r"(?: \([^)]*\))?(?P<comma>,?)(?: (?:has|have|had|also|later))? (?P<verb>\w+)")
_ALLEGED = re.compile(
    r"\b(?:alleg\w+|claim(?:s|ed|ing)?(?: that| to|(?=\.?$))|accus(?:es|ed|ing|ation)|reported(?:ly| to have)"
    r"|purported\w*|suspected|believed to|said to (?:be|have)|den(?:ies|ied|ying)|blam(?:es|ed|ing))\b",
    re.IGNORECASE,
)


def as_stated(triple: Triple, claim: str, named: Collection[str]) -> Triple | str:
    """A triple as its claim puts it, or why it can't be kept; `named` are the ends of the claim's facts."""
    if _SAID_TO.search(triple.predicate):
        return SAID_BY
    triple = replace(triple, predicate=with_mood(triple.predicate, claim, triple.negated))
    return _with_doubt(_with_announcer(triple, claim, named), claim)


def with_mood(predicate: str, claim: str, negated: bool = False) -> str:
    """A predicate with the word of its claim that makes a duty, a possibility or a plan of what it says.

    "keeps lamp in" becomes "must keep lamp in", "sold lamp to" becomes "plans to sell lamp to", where the
    claim has the verb in no other form. What failed to happen stays as it is where the fact is negated.
    """
    words = predicate.split()
    place = next((n for n, word in enumerate(words) if word.casefold() not in _HELPERS), len(words))
    if place == len(words) or _MODAL.search(predicate):
        return predicate
    verb, *rest = words[place:]
    if place and words[place - 1].casefold() in _BEING and not verb.endswith("ing"):
        return _with_passive(verb, rest, claim) or predicate
    return _with_infinitive(verb, rest, claim, negated) or predicate if not place else predicate


def _with_passive(verb: str, rest: list[str], claim: str) -> str:
    """ "must be kept for" of "is kept for", where every "kept" of the claim stands behind "must be"."""
    before = re.compile(rf"\b({_MODALS}) be (?:\w+ly )?$")
    found = [before.search(claim[: place.start()]) for place in _occurrences(verb, claim)]
    if not found or not all(found):
        return ""
    (first, *_) = (one[1] for one in found if one)
    return " ".join([first, "be", verb, *rest])


def _with_infinitive(verb: str, rest: list[str], claim: str, negated: bool) -> str:
    """ "must keep" of "keeps", "hopes to keep" of "kept", where the claim has the verb like this only."""
    if any(True for _ in _occurrences(verb, claim)) and not _stands_after_modal(verb, claim):
        return ""
    if rest and any(f"{verb} {base}" in claim for base in _bases(rest[0]) - {rest[0]}):
        return ""  # "soon sells" of "may soon sell": the verb comes later
    for base in sorted(_bases(verb)):
        modal = re.search(rf"\b({_MODALS}) (?:\w+ly )?{re.escape(base)}\b", claim)
        if modal:
            return " ".join([modal[1], base, *rest])
        governed = re.search(rf"\b([a-z]+) to (?:\w+ly )?{re.escape(base)}\b", claim)
        governing = _bases(governed[1]) & _GOVERNING if governed else frozenset()
        if governed and governing and not (negated and governing <= FAILING_VERBS):
            return " ".join([governed[1], "to", base, *rest])
    return ""


def _stands_after_modal(verb: str, claim: str) -> bool:
    """Whether each of these verbs stands behind a modal: "can keep" has the form of "keep" as well."""
    before = re.compile(rf"\b(?:{_MODALS}) (?:\w+ly )?$")
    return all(before.search(claim[: place.start()]) for place in _occurrences(verb, claim))


def _occurrences(word: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)


def _bases(word: str) -> frozenset[str]:
    """What a form of a regular verb may be a form of: "plans", "planned" of "plan"; itself among them."""
    lowered = word.casefold()
    found = {lowered}
    for ending, instead in _ENDINGS:
        stem = lowered.removesuffix(ending)
        if stem != lowered and len(stem) >= _SHORTEST_VERB:
            found.add(stem + instead)
            if stem[-1:] == stem[-2:-1]:
                found.add(stem[:-1])
    return frozenset(found)


def _with_announcer(triple: Triple, claim: str, named: Collection[str]) -> Triple:
    """What is to come is the word of whoever announces it, but for what they will do themselves."""
    if triple.attributed_to or not _TO_COME.search(triple.predicate):
        return triple
    speakers = [name for name in named if _says(name, claim)]
    if len(speakers) != 1 or speakers[0] == triple.subject:
        return triple
    return replace(triple, attributed_to=speakers[0])


def _says(name: str, claim: str) -> bool:
    """Whether a verb of saying follows a name; of "the mayor of Tarn announced" Tarn is no speaker."""
    for place in _occurrences(name, claim):
        before = claim[: place.start()].split()[-1:] or [""]
        following = _NEXT_VERB.match(claim, place.end())
        if following is None or before[0].casefold() in PREPOSITIONS:
            continue
        if following["comma"] and not before[0].endswith(","):
            continue  # "the mayor of North Tarn, announced"
        verb = following["verb"].casefold()
        if verb in _UNLIKE_THEIR_BASES or _bases(verb) & REPORTING_VERBS:
            return True
    return False


def _with_doubt(triple: Triple, claim: str) -> Triple:
    """Nobody's word becomes a fact because a model forgot whose word it is.

    What a claim tells behind "claimed that", "allegedly", "blamed" and the like, or before them at its end,
    without being the claiming itself, is at most "unsure" where it is attributed to nobody.
    """
    said = _ALLEGED.search(claim)
    if said is None or triple.attributed_to or _ALLEGED.search(f"{triple.predicate} that"):
        return triple
    closes = not any(map(str.isalpha, claim[said.end() :]))
    if not closes and claim.casefold().rfind(triple.object.casefold()) < said.start():
        return triple
    return replace(triple, confidence=min(triple.confidence, CONFIDENCE["unsure"]))
