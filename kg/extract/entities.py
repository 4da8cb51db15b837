"""The recogniser's entities, with their edges and types put right."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from spacy.tokens import Doc, Token

from kg.model import LITERAL_TYPES, PLACE_TYPES, EntityType
from kg.text.lexicon import (
    HONORIFICS,
    KNOWN_ORGANISATIONS,
    NAME_PARTICLES,
    NOT_NAMES,
    POST_NOMINALS,
    PROFESSIONS,
    RANKS,
    REGIMES,
    ROLE_WORDS,
    SIDES,
    genders,
    places,
    sovereign,
)
from kg.text.words import half_quotation, with_whole_quotation

MAX_NAME_TOKENS = 12
"""Longer runs are headlines or lists, not names."""

MAX_NAME_LETTERS = 120
"""Longer names are none, and the graph's indexes could not hold one of 8,000 bytes."""

MAX_NICKNAME_TOKENS = 3

MAX_SMALL_WORD = 5
"""Longer words in small letters stand in no title."""

_TYPE_OF_LABEL: dict[str, EntityType] = {
    "PERSON": "PERSON", "ORG": "ORG", "GPE": "GPE", "LOC": "LOC", "FAC": "FAC", "NORP": "NORP",
    "EVENT": "EVENT", "WORK_OF_ART": "WORK", "PRODUCT": "PRODUCT", "LAW": "LAW", "LANGUAGE": "MISC",
    "DATE": "DATE", "TIME": "NUMBER", "MONEY": "NUMBER", "PERCENT": "NUMBER", "QUANTITY": "NUMBER",
    "ORDINAL": "NUMBER", "CARDINAL": "NUMBER",
}  # fmt: skip
_PROPER = frozenset({"NNP", "NNPS"})
_LINKING = frozenset({"is", "are", "was", "were"})
_LEADING_ARTICLES = frozenset({"the", "a", "an", '"', "'", "("})
_LEADING_TIME_WORDS = frozenset({"from", "between", "since", "in", "on", "of", "during", "the"})
_TRAILING_POS = frozenset({"ADP", "CCONJ", "DET", "VERB", "AUX", "SCONJ", "PRON"})
ROMAN = re.compile(r"[IVX]+")
_SPACES = re.compile(r"\s+")
_EDGES = " \t\n,.;:\"'-\u2013\u2014"


@dataclass(frozen=True, slots=True)
class EntitySpan:
    """Tokens start..end (exclusive) of a parsed text that name something; `root` heads them."""

    start: int
    end: int
    root: int
    type: EntityType
    text: str


_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


def clean_name(text: str) -> str:
    """A name without article, quotes around it or half of two, possessive ending and stray brackets."""
    written = _SPACES.sub(" ", _INVISIBLE.sub("", text))
    name = with_whole_quotation(written.strip(_EDGES), written)
    name = re.sub(r"^(?:the|a|an)\s+", "", name, flags=re.IGNORECASE) if " " in name else name
    name = re.sub(r"'s?$", "", name)
    name = with_whole_quotation(name.strip(_EDGES), name)
    if name.count("(") != name.count(")"):
        name = _SPACES.sub(" ", name.replace("(", " ").replace(")", " ")).strip()
    # "U.S." and "Inc." keep the full stop that belongs to them
    return f"{name}." if re.search(r"\b[A-Z]\.[A-Z]$|\b(?:Jr|Sr)$", name) and f"{name}." in text else name


def find_entities(doc: Doc, title_words: Sequence[str]) -> list[EntitySpan]:
    """Entities in text order, without overlaps."""
    spans = [
        span
        for entity in doc.ents
        for start, end in _without_bracket(doc, entity.start, entity.end)
        for span in _repaired(doc, start, end, entity.label_)
    ]
    spans = _with_quoted_titles(doc, spans)
    spans = _with_title(doc, spans, title_words)
    spans = [span for span in spans if not _is_post_nominal(doc, span.start, span.end)]
    spans += _missed_names(doc, {i for span in spans for i in range(span.start, span.end)})
    return _without_overlaps([span for span in spans if not _is_half_a_word(doc, span.end)])


def _make(doc: Doc, start: int, end: int, kind: EntityType) -> EntitySpan:
    start, end = _with_both_marks(doc, start, end)
    span = doc[start:end]
    name = clean_name(span.text)
    first, _, last = name.partition(" ")
    return EntitySpan(
        start, end, span.root.i, "GPE" if first in REGIMES and last in sovereign() else kind, name
    )


def _with_both_marks(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """A name with what it lacks of a quotation that it holds half of: Matiu "Matt" Ratana of Matiu "Matt."""
    unopened, unclosed = half_quotation(doc[start:end].text)
    if unopened:
        first = start
        while first > max(0, start - MAX_NICKNAME_TOKENS) and doc[first - 1].tag_ in _PROPER:
            first -= 1
        if first and doc[first - 1].text == '"':
            start = first - 1
    if unclosed and doc[end : end + 1].text == '"':
        end += 1
        while end < len(doc) and doc[end].tag_ in _PROPER and not doc[end].is_sent_start:
            end += 1
    return start, end


def _repaired(doc: Doc, start: int, end: int, label: str) -> Iterator[EntitySpan]:
    kind = _TYPE_OF_LABEL[label]
    start, end = _trimmed(doc, start, end, kind)
    if start >= end or (kind == "DATE" and _opens_a_name(doc, start, end)):
        return
    if kind in LITERAL_TYPES:
        while kind == "DATE" and start < end - 1 and doc[start].lower_ in _LEADING_TIME_WORDS:
            start += 1
        yield _make(doc, start, end, kind)
        return
    if doc[start:end].text in KNOWN_ORGANISATIONS:
        kind = "ORG"
    if kind != "NORP":
        start = _extended_left(doc, start, end)
    name_start = _behind_office(doc, start, end)
    if kind == "ORG" and name_start > start and end - name_start >= 2 and doc[name_start].text in genders():
        kind = "PERSON"
    if kind == "PERSON":
        start = name_start
    if end == start + 1 and _is_no_name(doc[start]):
        return
    start, end = _with_hyphens(doc, start, end)
    if kind in {"PERSON", "MISC"}:
        end = _with_realm(doc, start, end)
    end = _with_district(doc, start, end)
    if end - start <= MAX_NAME_TOKENS and _looks_like_a_name(doc, start, end):
        yield _make(doc, start, end, kind)


def _is_post_nominal(doc: Doc, start: int, end: int) -> bool:
    """Whether letters behind a comma tell what somebody holds: "Ana Brel, OBE", not "Boston, MA"."""
    if start < 2 or not all(token.text in {",", "."} or _is_letters(token) for token in doc[start:end]):
        return False
    comma = doc[start - 1].text == ","
    return _is_letters(doc[start - 1]) or (comma and doc[start - 2].ent_type_ not in PLACE_TYPES)


def _is_letters(token: Token) -> bool:
    return token.text[:1].isupper() and token.lower_.replace(".", "") in POST_NOMINALS


def _is_half_a_word(doc: Doc, end: int) -> bool:
    """Whether a blank parts a hyphen from what it joins: "the Los Angeles- based movement"."""
    return doc[end - 1].text.endswith("-") and end < len(doc) and doc[end].is_lower


def _is_no_name(word: Token) -> bool:
    """ "Hurricanes are ..." at the beginning, and the rank in "Queen of Spain"."""
    of = word.i + 1 < len(word.doc) and word.nbor(1).text == "of"
    return (word.is_sent_start and word.tag_ == "NNS") or (word.lower_ in RANKS and of)


def _with_realm(doc: Doc, start: int, end: int) -> int:
    """The end of a ruler's name with the realm: "William II of Wied", "Princess Anna of Wied"."""
    royal = doc[start].lower_ in RANKS or ROMAN.fullmatch(doc[end - 1].text) is not None
    if not royal or doc[end : end + 1].text != "of":
        return end
    first = end + 1 + (doc[end + 1 : end + 2].text == "the")
    last = first
    while last < len(doc) and doc[last].tag_ in _PROPER and not doc[last].is_sent_start:
        last += 1
    return last if last > first else end


def _with_district(doc: Doc, start: int, end: int) -> int:
    """The end of a place's name that goes on behind its comma: "Washington, D.C." is no state."""
    return end + 2 if doc[end : end + 1].text == "," and doc[start : end + 2].text in places() else end


def _opens_a_name(doc: Doc, start: int, end: int) -> bool:
    """Whether a weekday or a month is the first word of a name: "Friday Night Lights"."""
    word = doc[start]
    head = word.head
    return end == start + 1 and word.dep_ == "compound" and head.i > start and head.tag_ in _PROPER


def _with_hyphens(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """The name with what a hyphen joins to it: "Frédéric Salat-Baroux"."""
    while (
        end + 1 < len(doc)
        and doc[end].text == "-"
        and _is_joined(doc, end)
        and doc[end + 1].text[:1].isupper()
    ):
        end += 2
    while (
        start > 1
        and doc[start - 1].text == "-"
        and _is_joined(doc, start - 1)
        and doc[start - 2].text[:1].isupper()
    ):
        start -= 2
    return start, end


def _is_joined(doc: Doc, hyphen: int) -> bool:
    return (
        not doc[hyphen].whitespace_ and not doc[hyphen - 1].whitespace_ and not doc[hyphen + 1].is_sent_start
    )


def _without_bracket(doc: Doc, start: int, end: int) -> Iterator[tuple[int, int]]:
    """ "World Health Organization (WHO" are two names."""
    for i in range(start + 1, end - 1):
        if doc[i].text == "(" and doc[end - 1].text != ")":
            yield start, i
            yield i + 1, end
            return
    yield start, end


def _trimmed(doc: Doc, start: int, end: int, kind: EntityType) -> tuple[int, int]:
    while start < end and (doc[start].lower_ in _LEADING_ARTICLES or _is_filler(doc[start], "$€£¥#")):
        start += 1
    while end > start and (doc[end - 1].lower_ in {"'s", "'"} or _is_filler(doc[end - 1], ".)%")):
        end -= 1
    if kind not in LITERAL_TYPES:
        while start < end - 1 and doc[start].lower_ in SIDES and doc[start].text.islower():
            start += 1
        while end > start + 1 and doc[end - 1].pos_ in _TRAILING_POS and doc[end - 1].text.islower():
            end -= 1
    return start, end


def _is_filler(token: Token, kept: str) -> bool:
    return token.is_space or ((token.is_punct or not token.text.isprintable()) and token.text not in kept)


def _is_honorific(token: Token) -> bool:
    return token.text.rstrip(".") in HONORIFICS


def _behind_office(doc: Doc, start: int, end: int) -> int:
    """Where the name begins in "Minority Whip Dick Durbin"."""
    while end - start > 1 and _is_honorific(doc[start]):
        start += 1
    while end - start > 2 and doc[start].lower_ in PROFESSIONS:
        start += 1
    if end - start > 2 and doc[start].text in {"House", "Senate"} and doc[start + 1].text in genders():
        start += 1  # "Speaker of the House Nancy Pelosi"
    for i in range(end - 3, start - 1, -1):
        if _is_honorific(doc[i]) or doc[i].lower_ in ROLE_WORDS:
            return i + 1
    return start


def _looks_like_a_name(doc: Doc, start: int, end: int) -> bool:
    span = doc[start:end]
    if span.text.rstrip(".").lower() in NOT_NAMES:
        return False
    if any(token.lower_ in _LINKING and token.text.islower() for token in span):
        return False  # "Wong is Penn State" has swallowed its verb
    if any(token.is_space or token.like_url or token.like_email or "]" in token.text for token in span):
        return False
    return any(token.text[:1].isupper() or token.is_digit for token in span) or not span.text.isascii()


def _extended_left(doc: Doc, start: int, end: int) -> int:
    while start > 0:
        before = doc[start - 1]
        belongs = before.tag_ in _PROPER and before.dep_ == "compound" and start <= before.head.i < end
        if not belongs or before.ent_type_ or _is_honorific(before) or before.is_sent_end:
            break
        start -= 1
    return start


def _with_title(doc: Doc, spans: list[EntitySpan], words: Sequence[str]) -> list[EntitySpan]:
    """Where the text repeats the article's title word by word, that is one name."""
    if not words or len(words) > MAX_NAME_TOKENS:
        return spans
    lower = [token.lower_ for token in doc]
    kind: EntityType = "MISC"
    left = {span: number for number, span in enumerate(spans)}
    at: defaultdict[int, list[EntitySpan]] = defaultdict(list)
    for span in spans:
        for place in range(span.start, span.end):
            at[place].append(span)
    for i in range(len(lower) - len(words) + 1):
        end = i + len(words)
        if lower[i] != words[0] or lower[i:end] != list(words) or not doc[i].text[:1].isupper():
            continue
        if doc[i].tag_ in _PROPER and doc[end - 1].tag_ in _PROPER:
            # "Edwin August Phillip von der Butz" in an article called "Edwin August"
            most = min(len(doc), end + MAX_NAME_TOKENS)
            while end < most and not doc[end].is_sent_start and _continues_a_name(doc, end, set()):
                end += 1
        overlapping = sorted(
            {span for place in range(i, end) for span in at[place] if span in left}, key=left.__getitem__
        )
        named = [span.type for span in sorted(overlapping, key=lambda span: span.start - span.end)]
        named = [found for found in named if found not in LITERAL_TYPES and found != "NORP"]
        if all(span.start >= i and span.end <= end for span in overlapping):
            kind = named[0] if named and named[0] != "MISC" else kind
            for span in overlapping:
                del left[span]
            whole = _make(doc, i, end, kind)
            left[whole] = len(spans) + i
            for place in range(i, end):
                at[place].append(whole)
    return list(left)


def _with_quoted_titles(doc: Doc, spans: list[EntitySpan]) -> list[EntitySpan]:
    """Capitals between quotation marks are one name: "A Fistful of Dollars"."""
    quotes = [token.i for token in doc if token.text == '"']
    found: list[EntitySpan] = []
    for opening, closing in pairwise(quotes):
        start, end = opening + 1, closing
        while start < end and doc[end - 1].text in {",", "."}:
            end -= 1
        if found and found[-1].end >= opening:
            continue  # the closing mark of the last title opens none
        if _is_title(doc, start, end) and not _is_nickname(doc, opening, closing):
            found.append(_make(doc, start, end, "WORK"))
    inside = {i for span in found for i in range(span.start, span.end)}
    return found + [span for span in spans if inside.isdisjoint(range(span.start, span.end))]


def _is_title(doc: Doc, start: int, end: int) -> bool:
    words = [token for token in doc[start:end] if token.text.isalnum()]
    if not 2 <= len(words) <= MAX_NAME_TOKENS or any(token.is_space for token in doc[start:end]):
        return False
    small = [token for token in words if not token.text[0].isupper() and not token.text[0].isdigit()]
    if not words[0].text[0].isupper() and not words[0].text[0].isdigit():
        return False
    if any(token.pos_ in {"NOUN", "VERB", "PROPN", "ADJ"} or len(token) > MAX_SMALL_WORD for token in small):
        return False
    return any(token.text[0].isupper() for token in words[1:])


def _is_nickname(doc: Doc, opening: int, closing: int) -> bool:
    """Whether names stand on both sides: Henry "Big Red" Krause."""
    if opening == 0 or closing + 1 >= len(doc):
        return False
    return doc[opening - 1].tag_ in _PROPER and doc[closing + 1].tag_ in _PROPER


def _missed_names(doc: Doc, used: set[int]) -> Iterator[EntitySpan]:
    """Runs of proper nouns that the recogniser passed over."""
    inside = Counter(token.text for token in doc if not token.is_sent_start)
    i = 0
    while i < len(doc):
        if i in used or not _starts_a_name(doc[i]):
            i += 1
            continue
        end = i + 1
        while (
            end < len(doc)
            and end not in used
            and not doc[end].is_sent_start
            and _continues_a_name(doc, end, used)
        ):
            end += 1
        run = doc[i:end]
        office = all(
            _is_honorific(token) or token.lower_ in ROLE_WORDS or token.lower_ in {"of", "the"}
            for token in run
        )
        office = office or (end == i + 1 and doc[i].lower_ in RANKS and doc[end : end + 1].text == "of")
        office = office or run.text.rstrip(".").lower() in NOT_NAMES
        if not office and end - i <= MAX_NAME_TOKENS and not (end == i + 1 and _only_opens(doc, i, inside)):
            yield _make(doc, *_with_hyphens(doc, i, end), "MISC")
        i = end


def _only_opens(doc: Doc, i: int, inside: Counter[str]) -> bool:
    """Whether a lone capitalised word only begins a sentence and is never written so in one: "Windows".

    `inside` counts the words that open no sentence.
    """
    before = i - 1
    while before >= 0 and not doc[before + 1].is_sent_start and not doc[before].text.isalnum():
        before -= 1
    opens = doc[before + 1].is_sent_start or before < 0
    return bool(opens) and inside[doc[i].text] == (not doc[i].is_sent_start)


def _starts_a_name(token: Token) -> bool:
    if token.tag_ not in _PROPER or not token.text[0].isupper() or len(token.text) < 2:
        return False
    if _is_post_nominal(token.doc, token.i, token.i + 1):
        return False
    if (
        token.like_url
        or token.like_email
        or "]" in token.text
        or not any(letter.isalpha() for letter in token.text)
    ):
        return False
    return not _is_honorific(token)


def _continues_a_name(doc: Doc, i: int, used: set[int]) -> bool:
    if doc[i].tag_ in _PROPER:
        return doc[i].text[0].isalnum()
    if doc[i].is_digit and doc[i - 1].tag_ in _PROPER:
        return doc[i].dep_ in {"nummod", "appos", "npadvmod"} or doc[i].head.i == i - 1
    follows = i + 1 < len(doc) and doc[i + 1].tag_ in _PROPER and i + 1 not in used
    return follows and doc[i].lower_ in NAME_PARTICLES


def _without_overlaps(spans: list[EntitySpan]) -> list[EntitySpan]:
    """Longest first; in text order."""
    taken: set[int] = set()
    kept: list[EntitySpan] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        tokens = range(span.start, span.end)
        if 0 < len(span.text) <= MAX_NAME_LETTERS and taken.isdisjoint(tokens):
            taken.update(tokens)
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)
