"""Sentences of edited English news: where each begins and ends.

The chunker and the extractor share this segmentation, so that a claim's sentence always lies in a chunk.

A sentence ends at a stop (. ! ? ...) that white space follows, unless what stands around the stop tells
otherwise: a title or an initial before it, a small letter after it, "said X" after a quoted question.
It also ends at a line break, unless the text is wrapped at a fixed width. Headlines need no stop.

What the sentence splitter knows of English: words whose full stop need not end a sentence.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from kg.model import Span


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NEVER_ENDS = _set(
    """
    dr mr mrs ms mx prof gen sen rep gov lt col capt cmdr maj sgt cpl pvt adm rev hon pres msgr fr supt
    insp det messrs mme mlle mt ft amb asst assoc hr brig lt.col lt.gen maj.gen vs v e.g i.e cf viz
    approx esp incl
    """
)
"""Titles and the like: a name or the rest of a phrase follows."""

BEFORE_NUMBER = _set(
    """
    no nos art sec fig figs p pp vol ch ver par c ca jan feb mar apr jun jul aug sep sept oct nov dec
    """
)
"""They end no sentence before a digit: "No. 10", "Jan. 3"."""

MAY_END = _set(
    """
    st ave blvd rd hwy inc ltd corp co cos kft zrt bros jr sr esq dept univ govt assn ph.d jan feb mar apr jun
    jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat ala ariz ark calif colo conn del fla
    ga ill ind kan ky la mass md mich minn miss mo mont neb nev okla ore pa tenn tex vt va wash wis wyo
    ont que
    """
)
"""With a capital, they end a sentence only before one of `OPENERS`; initials and "U.S." do so too."""

HOURS = _set("a.m p.m")

AFTER_HOURS = _set(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january
    february march april may june july august september october november december jan feb mar apr jun
    jul aug sep sept oct nov dec eastern central mountain pacific greenwich british local et est edt ct
    cst cdt mt mst mdt pt pst pdt gmt utc bst cet cest ist jst hkt aest aedt
    """
)
"""After "p.m." these go on with the time instead of opening a sentence."""

OPENERS = _set(
    """
    a about according after all although also among an and another any are as asked at because before
    both but by can could despite did do does during each earlier even every few for from he her here
    his how however i if in instead is it its last later like many meanwhile more moreover most much my
    nearly neither none nor not now of officials on once one only or other our over overall people
    perhaps police prosecutors she should since so some still such that the their then there these they
    this those though through throughout thus to today under unlike until we what when where whether
    which while who why will with without yes yet you your
    """
)
"""Words that, with a capital, open a sentence far more often than they belong to a name."""

SPEECH_VERBS = _set(
    """
    said says say asked asks added adds wrote writes told tells shouted replied continued recalled joked
    quipped wondered tweeted posted yelled cried declared insisted warned
    """
)
"""What stands between a quotation and the end of its sentence, with the speaker."""


# The quantifiers with a + are possessive: no backtracking, so that time stays linear on any text.
_BREAK = re.compile(
    r"""
      (?P<line> \n\s*+ )
    | (?<![.!?…]) (?P<stop> [.!?…]++ ) (?P<close> ["'\u201d\u2019\u00bb)\]}]*+ ) (?=\s)
    | (?<=[a-z]{2}) [.!?] ["\u201d\u2019)]*+ (?= (?:The|He|She|It|But|In|They|This|That|We|And|However)\s )
    | [\u3002\uff01\uff1f\u0964\u061f\u06d4]++ ["\u201d)\u300d\u300f\uff09]*+  # Chinese, Hindi, Arabic
    """,
    re.VERBOSE,
)
_NEXT_WORD = re.compile(
    r"""\s*+["'\u201c\u2018\u00ab(\[{\u00bf\u00a1*\u2022\u2013\u2014-]*+\s?+(\w(?:[\w.-]{0,30}\w)?|\S?)"""
)
_SPEAKER = re.compile(r"\s*+(?:[A-Z][\w.'\u2019-]{0,30}\s){1,4}(\w{3,10})\b")
_LABEL = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})")
_INITIALS = re.compile(r"[A-Z]|\w(?:\.\w)+")
_SPACE = re.compile(r"\s*+")
_OPENING = "\"'\u201c\u2018\u00ab([{."
_WINDOW = 40
_MARGINS = range(40, 121)


def sentence_spans(body: str) -> list[Span]:
    """The sentences of `body` in order, without the white space around them.

    Spans don't overlap, and every character that is not white space lies in exactly one of them.
    """
    spans: list[Span] = []
    start = _skip_space(body, 0)
    for end in _ends(body, start):
        last = end
        while last > start and body[last - 1].isspace():
            last -= 1
        if last > start:
            spans.append(Span(start, last))
        start = _skip_space(body, end)
    return spans


def _skip_space(body: str, place: int) -> int:
    found = _SPACE.match(body, place)
    return found.end() if found else place


def _ends(body: str, start: int) -> Iterator[int]:
    wrapped = _is_wrapped(body)
    for match in _BREAK.finditer(body, start):
        if match["line"]:
            ends = _line_ends(body, match, wrapped)
        elif match["stop"]:
            ends = _stop_ends(body, start, match)
        else:
            ends = True
        if ends:
            start = _skip_space(body, match.end())
            yield match.end()
    yield len(body)


def _is_wrapped(body: str) -> bool:
    """Whether lines break only because the next word would have passed a margin, as in an e-mail."""
    lines = pairwise(body.split("\n"))
    joints = [(len(line), following) for line, following in lines if line and following.strip()]
    margin = max((length for length, _ in joints), default=0)
    if len(joints) < 3 or margin not in _MARGINS:
        return False
    full = sum(length + 1 + len(following.split(maxsplit=1)[0]) > margin for length, following in joints)
    return full >= 0.9 * len(joints)


def _line_ends(body: str, match: re.Match[str], wrapped: bool) -> bool:
    if match.group().count("\n") > 1 or match.end() == len(body):
        return True
    if wrapped:
        return False
    before = body[max(0, match.start() - 2) : match.start()].rstrip()
    return before.endswith((".", "!", "?", "…", ":")) or not _continues(_next_word(body, match.end()))


def _stop_ends(body: str, start: int, match: re.Match[str]) -> bool:
    """Whether the stop at `match` ends the sentence that begins at `start`."""
    following = _next_word(body, match.end())
    if not following:
        return True
    if _continues(following) or following in ".!?…":
        return False
    quoted = bool(match["close"].strip(")]}"))
    if match["stop"] != ".":
        return not (quoted and _is_speaker(body, match.end()))
    if _LABEL.fullmatch(body, start, match.start()):
        return False
    return quoted or _word_ends(_word_before(body, start, match.start()), following)


def _next_word(body: str, place: int) -> str:
    found = _NEXT_WORD.match(body, place)
    return found[1] if found else ""


def _continues(word: str) -> bool:
    """Whether a word can't open a sentence: a small letter first, but not as in "iPhone"."""
    return word[:1].islower() and not any(char.isupper() for char in word[1:3])


def _is_speaker(body: str, place: int) -> bool:
    """Whether "Ana Brel asked" or the like follows."""
    found = _SPEAKER.match(body, place)
    return found is not None and found[1] in SPEECH_VERBS


def _word_before(body: str, start: int, stop: int) -> str:
    words = body[max(start, stop - _WINDOW) : stop].split()
    return words[-1].replace("/", "-").rsplit("-", 1)[-1].lstrip(_OPENING) if words else ""


def _word_ends(word: str, following: str) -> bool:
    """Whether a full stop after `word` and before `following` ends a sentence."""
    lower = word.lower()
    if lower in NEVER_ENDS or (lower in BEFORE_NUMBER and following[0].isdigit()):
        return False
    if lower in HOURS:
        return following.lower() not in AFTER_HOURS and not following[0].isdigit()
    if (lower in MAY_END and word[0].isupper()) or (_INITIALS.fullmatch(word) and word != "I"):
        return following in {"A", "I"} or (following.lower() in OPENERS and not following.isupper())
    return True
