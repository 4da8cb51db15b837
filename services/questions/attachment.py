"""To what does a verb belong? Two readings that a sentence often allows, of which the parser chose one.

A participle ("founded by Otto") is said of the nearest noun or of what its sentence begins with, and "tapped
him" of the last man named or of one before.
"""

import re

from kg.text.words import whole_places
from services.questions.draft import Fact
from services.questions.soundness import TypedFact
from services.questions.wording.predicates import parse

_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|get|got|gets)(?: (?!an?\b|the\b)[\w-]+){0,3} $|"
    r"\b(?:and|or|then|but) (?:\w+ly )?$"
)
"""What stands before a participle that is no clause of its own, or goes on with a verb before it."""
_ADVERBS = re.compile(r"(?:\b(?:first|also|later|now|then|best|often|\w+ly) )+$")
_OPENS = re.compile(
    r"(?:(?:In|On|At|After|During|Since|With|For) [^,]*, )?(?:(?:the|an?) )?[\"\u201c' ]*", re.IGNORECASE
)
_ENDS_NAME = re.compile(r"[\"\u201d']?(?: ?\([^)]*\))*[\"\u201d']?,? ?")
_TOLD_WHAT = re.compile(
    r"[\"\u201d']?(?: ?\([^)]*\))*(?:, Inc\.|,[^;]*?(?=,))?"
    r"(?:,? (?:is|was|are|were|became|remains)|, ?(?=an?\b|the\b|another\b))\b"
)
"""What leads from a name to the noun that says what it is: "Tarn (2031) is a film", "Tarn, a film"."""
_ANOTHER = re.compile(
    r"\b(?:of|in|for|at|from|with|on|to|about|and|that|which|who) "
    r"(?:(?:an?|the|his|her|its|their|this|another) |[\"\u201c]?[A-Z])|, (?:an?|the) "
)


_ACTS_ON = re.compile(r" (?!is\b|was\b|are\b|were\b)[a-z]+(?: the| an?| his| her)? (?:[a-z]+ )?[A-Z]")
"""A verb and its object right behind a name: "Waugh removed Boucher for 43, caught by Bichel"."""


def hangs_on_another(said: TypedFact) -> bool:
    """Whether a participle ("founded by Otto") is rather said of something nearer than the subject.

    Behind a comma it is said of what the sentence begins with, else of the noun right before it: that is the
    name, stands in apposition to it or says what it is.
    """
    end = said.statement.rfind(said.object.split(maxsplit=1)[0])
    verb = rf"\b{re.escape(said.predicate.verb)}\b"
    spots = [one.start() for one in re.finditer(verb, said.statement[:end])]
    return bool(spots) and all(_is_of_another(said.subject, said.statement[:spot]) for spot in spots)


def _is_of_another(subject: str, before: str) -> bool:
    before = _ADVERBS.sub("", before)
    behind = [before[end:] for _, end in whole_places(subject, before)]
    if not behind or _FINITE.search(before) or behind[-1].count("(") > behind[-1].count(")"):
        return False
    if before.endswith(", "):
        acts = _ACTS_ON.match(behind[0])
        return len(behind) > 1 or bool(acts) or not _OPENS.fullmatch(before[: before.find(subject)])
    return not any(_leads_to_it(between) for between in behind)


def _leads_to_it(between: str) -> bool:
    """Whether the words between a name and a participle end in what the name is, or there are none."""
    what = _TOLD_WHAT.match(between)
    return bool(_ENDS_NAME.fullmatch(between) or (what and not _ANOTHER.search(between, what.end())))


_NAME_IN = re.compile(r"[A-Z][\w.'\u2019-]*(?: [A-Z][\w.'\u2019-]*)*")


def acts_on_another(fact: Fact) -> str:
    """The name of whom a dated deed is done to, where its sentence has no such name behind the verb; else "".

    "Reagan named Alito, and Bush tapped him in 1990" tells of Alito, whoever was taken for "him".
    """
    found = parse(fact.predicate)
    named = _NAME_IN.search(found.complement)
    if found.voice == "copula" or named is None:
        return ""
    last = re.escape(named[0].rsplit(maxsplit=1)[-1])
    behind = rf"\b{re.escape(found.verb)}\b[^.;]*?(?<!\w){last}(?!\w)"
    return "" if re.search(behind, fact.sentence) else named[0]
