"""Sources, categories and authors as a text names them, found among the values that a corpus has.

A name is found by its words alone, without regard to case, punctuation and white space ("Fox News - Health",
"CBS Sports"); the longest name wins. A source's section may be left out: "BBC News" stands for every source
whose name begins so before a dash, a bar or a colon. What is found counts only in a frame that tells it from
an entity of the same name: "the Fortune article", "according to Wired", "reported by TechCrunch".
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg.extract.dates import MONTHS

Frame = Callable[[str, str], bool]
"""Whether the text before and the text after a name are a frame for it."""

FRAME_CHARS = 80
"""As far as a frame may reach from its name."""

_WORD = re.compile(r"\w+")
_SECTION = re.compile(r"\s+[-\u2013\u2014|]\s+|\s*\|\s*|:\s+")
_DOMAIN = re.compile(r"\.(?:com|org|net|co\.uk)$", re.IGNORECASE)
_QUOTES = "\"'\u2018\u2019\u201c\u201d"
_OPEN = rf"\s*(?:(?:both|either|the|an?|another|of)\s+)*[{_QUOTES}(]*$"
_CLOSE = rf"^[{_QUOTES})]*(?:['\u2019]s)?[{_QUOTES}]*"

_TEXTS = (
    r"(?:articles?|reports?|reporting|reportage|stor(?:y|ies)|pieces?|reviews?|coverage|posts?|columns?|features?|"
    r"guides?|interviews?|accounts?|analys[ei]s|editorials?|headlines?|sections?|publications?)"
)
_OUTLETS = r"(?:(?:news )?(?:sources?|outlets?|sites?|papers?|magazines?|websites?)|newspapers?|publishers?)"
_SAID = (
    r"(?:reported|published|covered|discussed|mentioned|described|noted|highlighted|featured|written|stated|"
    r"claimed|cited|quoted|portrayed|depicted|revealed|suggested|presented|analy[sz]ed|detailed|outlined|"
    r"indicated|documented|reviewed|profiled|alleged|speculated|rumou?red|compared|identified|recognized|referenced|characterized|listed|"
    r"seen|named|evaluated|assessed|examined|called|labell?ed|ranked|observed|considered)"
)
_SAYS = (
    r"(?:report|suggest|claim|indicate|describe|portray|discuss|mention|state|say|note|highlight|attribute|"
    r"imply|implies|credit|confirm|agree|disagree|focus|feature|cover|publish|criticize|present|reveal|argue|"
    r"characterize|detail|emphasi[sz]e|predict|write|wrote|said|told|identify|identifies|identified|review|"
    r"quote|cite|explain|list|call|anticipate|praise|depict|recommend|consider|"
    r"allege|speculate|refer|share concerns|maintain|change)(?:e?s|e?d|ing|ped|red)?"
)
_BETWEEN = r"(?:\w[\w'\u2019-]*\s+)"

_SOURCE_BEFORE = re.compile(
    rf"(?:\baccording to(?: (?:an?|the) {_TEXTS} (?:by|from|in))?|\b(?:as )?per"
    rf"|\b(?:{_TEXTS}|another|one)\s+{_BETWEEN}{{0,2}}?(?:by|from|in|of|on|at)|\b{_SAID}\s+(?:\w+ly\s+)?(?:{_BETWEEN}{{0,3}}?{_TEXTS}\s+)?(?:by|in|on|from|at)"
    rf"|\b{_OUTLETS}(?:\s+(?:including|like|such as))?|\bcoverage,?\s+(?:\w+ing))" + _OPEN,
    re.IGNORECASE,
)
_SOURCE_AFTER = re.compile(
    rf"{_CLOSE}(?:\s+{_BETWEEN}{{0,2}}{_TEXTS}\b"
    rf"|,?\s+(?:(?:also|both|has|had|have|did|does|not|first|later|then|previously|subsequently|all|each)\s+)*"
    rf"{_SAYS}\b)",
    re.IGNORECASE,
)
_AUTHOR_BEFORE = re.compile(
    rf"\b(?:(?:{_TEXTS}|written|authored|reported|penned)\s+(?:by|from)|author|reporter|journalist|columnist)"
    rf"{_OPEN}",
    re.IGNORECASE,
)
_AUTHOR_AFTER = re.compile(
    rf"^(?:['\u2019]s?\s+{_TEXTS}\b|\s+(?:writes|wrote|reports|reported)\b)", re.IGNORECASE
)
_CATEGORY_BEFORE = re.compile(r"\b(?:category|section|filed under|tagged(?: as)?)" + _OPEN, re.IGNORECASE)
_CATEGORY_AFTER = re.compile(
    rf"{_CLOSE}\s+(?:category|section|desk|pages?|(?:news\s+)?(?:articles?|stor(?:y|ies)|coverage))\b",
    re.IGNORECASE,
)
_JOINT = re.compile(
    rf"^[{_QUOTES},;\s]*(?:(?:and|or|as well as|&)\s+)?"
    rf"(?:(?:by|from|in|to|both|also|the|an?|another|articles?|reports?)\s+)*[{_QUOTES}]*$",
    re.IGNORECASE,
)

_NAME = r"(?P<name>[A-Z0-9][\w&.'\u2019-]*(?:\s+(?:(?:of|the|for|&)\s+)?[A-Z0-9][\w&.-]*){0,4}?)"
_OTHER_AFTER = re.compile(
    rf"\b(?:[Aa]n?|[Tt]he|[Rr]ecent|[Ss]eparate|[Aa]nother)\s+[{_QUOTES}]?{_NAME}(?:['\u2019]s)?[{_QUOTES}]?"
    rf"\s+{_TEXTS}\b"
)
_OTHER_BEFORE = re.compile(
    rf"(?:\b(?:{_TEXTS}|another)\s+(?:by|from|in)|\b(?:as )?per|\b{_SAID} (?:by|in)|\bprovided by)"
    rf"\s+(?:both\s+)?(?:[Tt]he\s+)?[{_QUOTES}]?{_NAME}[{_QUOTES}]?(?=[\s,.;?!)]|$)(?!\s+[A-Z0-9])"
)
_NO_NAMES = frozenset(MONTHS)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at text[start:end], and the values that it stands for."""

    values: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NameIndex:
    """The values of a field by what their names come down to; `longest` is the most words of a name."""

    values: Mapping[str, tuple[str, ...]]
    longest: int


def index_names(names: Iterable[str], sections: bool = False) -> NameIndex:
    """An index of names; with `sections`, also by what stands before a section's name and without ".com"."""
    found: dict[str, set[str]] = defaultdict(set)
    longest = 0
    for name in names:
        for form in _forms(name) if sections else (name,):
            words = _WORD.findall(form)
            if words:
                found["".join(words).casefold()].add(name)
                longest = max(longest, len(words))
    return NameIndex({key: tuple(sorted(values)) for key, values in found.items()}, longest)


def name_mentions(text: str, index: NameIndex) -> list[Mention]:
    """Every place where a text has a name of the index, in order, the longest where several begin."""
    words = list(_WORD.finditer(text))
    found: list[Mention] = []
    first = 0
    while first < len(words):
        taken = 1
        for count in range(min(index.longest + 1, len(words) - first), 0, -1):
            some = words[first : first + count]
            values = index.values.get("".join(word[0] for word in some).casefold())
            if values:
                found.append(Mention(values, some[0].start(), some[-1].end()))
                taken = count
                break
        first += taken
    return found


def name_lists(text: str, mentions: Sequence[Mention]) -> list[tuple[Mention, ...]]:
    """The mentions in lists: those with nothing but commas, "and" and the like between them are one list."""
    lists: list[list[Mention]] = []
    for mention in mentions:
        if lists and _JOINT.match(text[lists[-1][-1].end : mention.start]):
            lists[-1].append(mention)
        else:
            lists.append([mention])
    return [tuple(members) for members in lists]


def in_frame(text: str, members: Iterable[Mention], frame: Frame) -> bool:
    """Whether one of the names of a list stands in a frame, which then is that of all."""
    return any(
        frame(text[max(0, one.start - FRAME_CHARS) : one.start], text[one.end : one.end + FRAME_CHARS])
        for one in members
    )


def mask_names(text: str, mentions: Iterable[Mention]) -> str:
    """The text with blanks in place of some names, every other character at its place."""
    letters = list(text)
    for one in mentions:
        letters[one.start : one.end] = " " * (one.end - one.start)
    return "".join(letters)


def names_of_others(text: str) -> tuple[str, ...]:
    """What else a text speaks of as a source, each name once: "a Reuters report", "an article by Variety"."""
    found = (match for pattern in (_OTHER_AFTER, _OTHER_BEFORE) for match in pattern.finditer(text))
    names = sorted((match.start("name"), match["name"]) for match in found)
    return tuple(dict.fromkeys(name for _, name in names if name not in _NO_NAMES))


def source_frame(before: str, after: str) -> bool:
    """Whether what stands between these two texts is spoken of as one who reports."""
    return bool(_SOURCE_BEFORE.search(before) or _SOURCE_AFTER.search(after))


def author_frame(before: str, after: str) -> bool:
    """Whether what stands between these two texts is spoken of as one who writes."""
    return bool(_AUTHOR_BEFORE.search(before) or _AUTHOR_AFTER.search(after))


def category_frame(before: str, after: str) -> bool:
    """Whether what stands between these two texts is spoken of as a part of the paper."""
    return bool(_CATEGORY_BEFORE.search(before) or _CATEGORY_AFTER.search(after))


def _forms(name: str) -> set[str]:
    """The ways to write a source: whole, without section or domain, and without "The" before two words."""
    head = _SECTION.split(name.strip(), maxsplit=1)[0]
    forms = {name, head, _DOMAIN.sub("", name), _DOMAIN.sub("", head)}
    return forms | {
        form.split(maxsplit=1)[1]
        for form in forms
        if form.casefold().startswith("the ") and len(form.split()) > 2
    }
