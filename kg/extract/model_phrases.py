"""How a statement puts a fact: as what must, may or will be, as a plan, as somebody's word.

A model that takes a statement apart may leave that out, and then nobody sees it again: "must keep" becomes
"keeps". What the statement's own words tell is put back; what can't be is no sure fact.

Descriptions without a name as ends of facts: as whole as in the article, and only where they tell which.

Which earthquake "the earthquake" of a statement is, only its article tells. So it gets the words that the
article has for it elsewhere ("earthquake in the Bay of Tarn"), where exactly one longer end fits. What is
left without any ("woman", "crash site") is no end: who reads the fact alone could not tell which is meant.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from kg.extract.model_requests import CONFIDENCE
from kg.model import LITERAL_TYPES, NAMED_TYPES, EntityType, Triple
from kg.resolve.contextual import HOLDS_PREDICATE, IS_PREDICATES
from kg.resolve.normal_form import normal_form
from kg.text.lexicon import (
    FAILING_VERBS,
    PLANNING_VERBS,
    REPORTING_VERBS,
    UNREAL_VERBS,
    WISHING_VERBS,
    countries,
)
from kg.text.words import PREPOSITIONS, whole_places

UNTOLD_SUBJECT = "its subject is a description that doesn't tell which is meant"
UNTOLD_OBJECT = "its object is a description that doesn't tell which is meant"
ONE_OF_SEVERAL = "one of several is no end: which of them is not told"

_POINTING_TEXT = "the this these those"
_POINTING = frozenset(_POINTING_TEXT.split())
_SINGLING_TEXT = "a an another one its his her their our your my"
_SINGLING = _POINTING | frozenset(_SINGLING_TEXT.split())
_JOINING = PREPOSITIONS | {"to", "per", "than"}
_NEVER_WHOLE: frozenset[EntityType] = LITERAL_TYPES | {"PERSON", "NORP"}
_ONE_OF = re.compile(r"(?:one|some|any|none|both|each|either|neither|several|most|many) of\b", re.IGNORECASE)
_COUNT_TEXT = """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million
billion dozen"""
_COUNT_WORDS = "|".join(_COUNT_TEXT.split())
_COUNT = rf"(?:\d[\d,.]*\d|\d|{_COUNT_WORDS})(?:[ -](?:{_COUNT_WORDS}))*"
_COUNTED = re.compile(rf"(?<![\w.,$\u20ac\u00a3-])((?:several )?{_COUNT}) $", re.IGNORECASE)
_YEARS_OLD = re.compile(rf"\b{_COUNT}[ -](?:years?|months?|weeks?|days?)[ -]old\b|^{_COUNT}\b(?![ -]\d)")
_YEAR = re.compile(r"^(?:1[0-9]|20)\d\d\b")


def names_one(description: str) -> bool:
    """Whether a description holds a name, or a number that is one's ("flight 12"): no count and no age."""
    rest = description if _YEAR.match(description) else _YEARS_OLD.sub("", description).strip()
    first, *others = rest.split() or [""]
    told = (word.lstrip("(\"'") for word in others)
    return (
        first in countries()
        or _YEAR.match(first) is not None
        or any(word[:1].isupper() or word[:1].isdigit() for word in told)
        or _is_name(first)
    )


def _is_name(first: str) -> bool:
    """Whether the first word is one by more than a sentence's capital: "COVID-19", "Wexler's"."""
    owns = first[:1].isupper() and first.endswith(("'s", "\u2019s"))
    return owns or re.search(r"[A-Z0-9]", first[1:]) is not None


def as_written(name: str, claim: str) -> str:
    """A description as its claim has it: in its number ("barge", "barges"), with its count ("3 people")."""
    if next(whole_places(name, claim), None) is None:
        name = next((form for form in _in_other_number(name) if any(whole_places(form, claim))), name)
    return _counted(name, claim)


def _in_other_number(name: str) -> Iterator[str]:
    """The plurals and singulars that a name's last word may have."""
    yield from (f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies")
    yield from (name.removesuffix("s"), name.removesuffix("es"), f"{name.removesuffix('ies')}y")


def _counted(name: str, claim: str) -> str:
    """With the number that stands before it in the claim, wherever it stands."""
    places = list(whole_places(name, claim))
    numbers = {found[1] for start, _ in places if (found := _COUNTED.search(claim[:start]))}
    if len(numbers) != 1 or any(_COUNTED.search(claim[:start]) is None for start, _ in places):
        return name
    return f"{numbers.pop()} {name}"


def whole_descriptions(ends: Iterable[tuple[str, EntityType]]) -> dict[str, EntityType]:
    """The ends of an article's facts that tell which thing is meant, by what it is and a name: with types."""
    return {
        name: kind
        for name, kind in ends
        if kind not in _NEVER_WHOLE and " " in name and not _ONE_OF.match(name)
        if names_one(name) or (kind in NAMED_TYPES and name[0].isupper())
    }


def completed(triple: Triple, claim: str, known: Mapping[str, EntityType]) -> Triple:
    """A triple with the one longer end of its article for "the earthquake", where its claim points to that.

    No end gets the other end's name into it: "fire at Tarn Hall", "broke out at", "Tarn Hall" tells nothing.
    """
    subject = _whole(triple.subject, triple.subject_type, claim, known)
    target = _whole(triple.object, triple.object_type, claim, known)
    if subject and not _holds(subject, triple.object):
        triple = replace(triple, subject=subject, subject_type=known[subject])
    if target and not _holds(target, triple.subject):
        triple = replace(triple, object=target, object_type=known[target])
    return triple


def _whole(name: str, kind: EntityType, claim: str, known: Mapping[str, EntityType]) -> str:
    """The longer end for a description that the claim points at, "" where there is none or several."""
    places = list(whole_places(name, claim))
    if kind != "CONCEPT" or not places or not _is_bare(name, claim):
        return ""
    fitting = [whole for whole in known if _continues(whole, name)]
    here = [whole for whole in fitting if all(claim.startswith(whole, start) for start, _ in places)]
    if here:
        return max(here, key=len)
    pointed = all(_before(claim, start) in _POINTING for start, _ in places)
    goes_on = any(_after(claim, end) in PREPOSITIONS for _, end in places)
    return fitting[0] if len(fitting) == 1 and pointed and not goes_on else ""


def _continues(whole: str, name: str) -> bool:
    """Whether an end is this description and more: "fire at Tarn Hall" of "fire", "Tarn vote" of "vote".

    Not so "West Bank" of "bank": a capital makes another name of the word.
    """
    if whole.startswith(f"{name} "):
        return whole[len(name) :].split(maxsplit=1)[0] in _JOINING
    before = whole.removesuffix(f" {name}").split()
    return whole.endswith(f" {name}") and not _JOINING & {*before}


def _holds(whole: str, name: str) -> bool:
    return f" {normal_form(name)} " in f" {normal_form(whole)} "


def untold(triple: Triple, claim: str) -> str:
    """Why nobody could tell which things a fact is about who reads it alone; "" where that can be told.

    As a subject, what is one thing or person and has no name is refused ("a woman", "the earthquake"), as an
    object what the claim points at ("the crash site"): "Oda Wexler built a wall" says something all the same.
    """
    says_what_it_is = triple.predicate.casefold() in IS_PREDICATES or HOLDS_PREDICATE.search(triple.predicate)
    if any(map(_ONE_OF.match, (triple.subject, "" if says_what_it_is else triple.object))):
        return ONE_OF_SEVERAL
    if triple.subject_type == "CONCEPT" and _is_untold(triple.subject, claim, _SINGLING):
        return UNTOLD_SUBJECT
    if triple.object_type == "CONCEPT" and not says_what_it_is:
        return UNTOLD_OBJECT if _is_untold(triple.object, claim, _POINTING) else ""
    return ""


def _is_untold(name: str, claim: str, openings: frozenset[str]) -> bool:
    """Whether a description tells no more than its kind, and one of these words stands before it."""
    if not _is_bare(name, claim):
        return False
    words = name.split()
    refers = bool(_POINTING & {*words})
    if _JOINING & {*words} and not refers:
        return False
    before = [_before(claim, start) for start, _ in whole_places(name, claim)]
    return bool(before) and all(word in openings or _is_owner(word, openings) for word in before)


def _is_owner(word: str, openings: frozenset[str]) -> bool:
    return openings is _SINGLING and word.endswith(("'s", "s'", "\u2019s", "s\u2019"))


def _is_bare(name: str, claim: str) -> bool:
    """Whether a description has no name in it, and no capital but that of a statement's first word."""
    return not names_one(name) and (name.islower() or (name[1:].islower() and claim.startswith(name)))


def _before(claim: str, start: int) -> str:
    """The word before a place, in small letters."""
    words = claim[:start].split()
    return words[-1].casefold().lstrip("\"'(\u201c\u2018[") if words else ""


def _after(claim: str, end: int) -> str:
    words = claim[end:].split()
    return words[0].casefold() if words and claim[end : end + 1].isspace() else ""


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
