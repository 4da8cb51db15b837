"""What a name stands for within one article: "Brel" for Ana Brel, "WHO" for World Health Organization."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from spacy.tokens import Doc

from kg.extract.entities import MAX_NAME_LETTERS, EntitySpan, clean_name
from kg.model import LITERAL_TYPES, REGION_TYPES, EntityType
from kg.text.lexicon import KIN_NOUNS, NAME_SUFFIXES, genders, places

MAX_ALIAS_STEPS = 4

# Quantifiers with a + are possessive and words are bounded: time stays linear on any text.
_DECLARED_ACRONYM = re.compile(
    r"((?:[A-Z][\w'&.-]{0,60}+\s++(?:(?:of|for|the|and|on|in|to)\s++){0,4}+){1,8}[A-Z][\w'&.-]{0,60}+)"
    r"\s*+\(\s*+(?:the\s++)?([A-Z][A-Za-z&.]{1,9})\s*+\)"
)
_COMPANY_FORM = re.compile(r",? (?:Inc|Ltd|Corp|Corporation|Co|LLC|plc|PLC|AG|SA|GmbH)\.?$")
_KNOWN_AS = re.compile(
    r'"?,?\s*\(?(?:(?:who|which)\s+)?(?:(?:is|was|are|were)\s+)?(?:(?:also|better|best|formerly|previously|commonly|often|'
    r"sometimes|widely|popularly|professionally|simply|now|later|then)\s+)*"
    r"(?:known|nicknamed|dubbed|a\.?k\.?a\.?)(?:\s+(?:simply|professionally|mononymously|collectively))?"
    r'(?:\s+(?:as|by))?(?:\s+the)?\s*"?'
)
_ALIASED_IN_BRACKETS: frozenset[EntityType] = frozenset({"ORG", "LOC", "FAC", "PRODUCT", "LAW", "EVENT"})
"""Not people: brackets behind an actor hold the role."""
_BRACKETS = re.compile(r"(?<!\s)\s*+\([^)]{0,200}+\)")


@dataclass(frozen=True, slots=True)
class Name:
    """A whole name and its type."""

    text: str
    type: EntityType


@dataclass(frozen=True, slots=True)
class NameBook:
    """The names of one article; `subject` is the name in its title when the text has it too."""

    whole: Mapping[str, str]
    types: Mapping[str, EntityType]
    subject: str

    def of(self, span: EntitySpan) -> Name:
        """The whole name behind a mention; a literal stands for itself."""
        if span.type in LITERAL_TYPES:
            return Name(span.text, span.type)
        text = self.whole.get(span.text, span.text)
        return Name(text, self.types.get(text, span.type))


def title_name(title: str, body: str) -> str:
    """The title as a name: without what stands in brackets, and without the state behind a comma."""
    name = clean_name(_BRACKETS.sub("", title))
    if ", " in name and name not in body:
        name = name.split(", ", maxsplit=1)[0]
    return name if 2 < len(name) <= MAX_NAME_LETTERS else ""


def read_names(doc: Doc, text: str, spans: Sequence[EntitySpan], title: str, opening: int) -> NameBook:
    """The article's names.

    `text` is that of `doc`, `title` is as `title_name` gives it, `opening` the first sentence's end token;
    all spans of a name have the same type.
    """
    named = [span for span in spans if span.type not in LITERAL_TYPES]
    counts = Counter(span.text for span in named)
    types = {span.text: span.type for span in named}
    first = {span.text: span.start for span in reversed(named)}
    whole: dict[str, str] = {}
    newcomers = {
        span.text for span in named if span.start and doc[span.start - 1].lemma_.lower() in KIN_NOUNS
    }
    _join_short_person_names(whole, types, counts, first, title, newcomers)
    _join_middle_names(whole, types, counts, first)
    _join_couples(whole, types, doc, named)
    _join_declared_acronyms(whole, types, text)
    _join_aliases(whole, types, doc, named)
    _join_districts(whole, types, counts)
    for name in counts:
        bare = _COMPANY_FORM.sub("", name)
        if bare != name and bare in counts:
            whole[name] = bare
    subject = title if title and title in text else ""
    if title:
        subject = _join_title(whole, types, named, title, opening) or subject
    return NameBook(MappingProxyType(_followed(whole)), MappingProxyType(types), subject)


def _surname(name: str) -> str:
    words = [word for word in name.split() if word.rstrip(".").lower() not in NAME_SUFFIXES]
    return words[-1] if words else name


def _join_short_person_names(
    whole: dict[str, str],
    types: dict[str, EntityType],
    counts: Mapping[str, int],
    first: Mapping[str, int],
    title: str,
    newcomers: Collection[str],
) -> None:
    """A lone surname or given name is the person whose full name came before.

    A given name behind a word for kin ("his brother John") may well bring in somebody new: it stays as it is.
    """
    by_surname: defaultdict[str, list[str]] = defaultdict(list)
    by_given_name: defaultdict[str, list[str]] = defaultdict(list)
    for name in counts:
        if types[name] == "PERSON" and " " in name:
            by_surname[_surname(name)].append(name)
            by_given_name[name.split()[0]].append(name)
    for short in counts:
        if " " in short or types[short] not in {
            "PERSON",
            "MISC",
            "ORG",
            "GPE",
            "LOC",
            "NORP",
            "WORK",
            "PRODUCT",
        }:
            continue
        found = [name for name in by_surname[short] if first[name] < first[short]]
        if not found and types[short] == "PERSON" and short not in newcomers:
            found = [name for name in by_given_name[short] if first[name] < first[short]]
        if types[short] in {"GPE", "LOC", "NORP"}:
            # "Washington" is rather the town, unless the article is about a Washington
            found = [name for name in found if name in title]
        found.sort(key=lambda name: -counts[name])
        ambiguous = len(found) > 1 and counts[found[0]] == counts[found[1]] and found[0] not in title
        if found and not ambiguous:
            whole[short] = found[0]
            types[short] = "PERSON"


def _join_middle_names(
    whole: dict[str, str],
    types: Mapping[str, EntityType],
    counts: Mapping[str, int],
    first: Mapping[str, int],
) -> None:
    """ "Ana Maria Brel" is Ana Brel where the article has both."""
    by_ends: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in counts:
        words = name.split()
        if types[name] == "PERSON" and len(words) >= 2:
            by_ends[words[0], _surname(name)].append(name)
    for found in by_ends.values():
        shortest = min(found, key=lambda name: (len(name.split()), first[name]))
        for name in found:
            if name != shortest and len(shortest.split()) == 2:
                whole[name] = shortest


def _join_couples(
    whole: dict[str, str], types: dict[str, EntityType], doc: Doc, named: Sequence[EntitySpan]
) -> None:
    """ "David and Louise Turpin" are David Turpin and Louise Turpin, unless the text has another David."""
    for left, right in pairwise(named):
        both = types[left.text] == types[right.text] == "PERSON" and left.text in genders()
        joined = doc[left.end : right.start].text == "and" and len(right.text.split()) == 2
        full = f"{left.text} {_surname(right.text)}"
        if both and joined and left.text not in whole and len(full) <= MAX_NAME_LETTERS:
            whole[left.text] = full
            types[full] = "PERSON"


def _join_declared_acronyms(whole: dict[str, str], types: dict[str, EntityType], text: str) -> None:
    """ "World Health Organization (WHO)" makes the short form a name for the long one."""
    for match in _DECLARED_ACRONYM.finditer(text):
        words = match[1].split()
        capitals = [place for place, word in enumerate(words) if word[0].isupper()]
        letters = [letter for letter in match[2] if letter.isupper()]
        if not 2 <= len(letters) <= len(capitals):
            continue
        from_word = capitals[-len(letters)]
        if [words[place][0] for place in capitals[-len(letters) :]] != letters:
            continue
        long = clean_name(" ".join(words[from_word:]))
        if len(long) > MAX_NAME_LETTERS:
            continue
        known = types.get(long, "ORG")
        kind: EntityType = "ORG" if known in {"MISC", "PERSON"} else known
        short = clean_name(match[2])
        whole[short] = long
        types[short] = types[long] = kind


def _join_districts(
    whole: dict[str, str], types: Mapping[str, EntityType], counts: Mapping[str, int]
) -> None:
    """ "Washington" is the town in an article that has "Washington, D.C."."""
    for name in counts:
        short = name.partition(", ")[0]
        if short != name and name in places() and types.get(short) in REGION_TYPES:
            whole.setdefault(short, name)


def _join_aliases(
    whole: dict[str, str], types: Mapping[str, EntityType], doc: Doc, named: Sequence[EntitySpan]
) -> None:
    """ "X, also known as Y" and "X (Y)" make Y a name of X, unless Y was named before."""
    seen: set[str] = set()
    for left, right in pairwise(named):
        seen.add(left.text)
        between = doc[left.end : right.start].text.strip().lower()
        told = _KNOWN_AS.fullmatch(between) is not None
        bracketed = between in {"(", '("'} and doc[right.end : right.end + 2].text.lstrip('" ').startswith(
            ")"
        )
        same = types[left.text] == types[right.text]
        if not (told or (bracketed and same and types[left.text] in _ALIASED_IN_BRACKETS)):
            continue
        if right.text not in seen | whole.keys() and right.text not in left.text and left.type != "NORP":
            whole[right.text] = left.text


def _join_title(
    whole: dict[str, str],
    types: dict[str, EntityType],
    named: Sequence[EntitySpan],
    title: str,
    opening: int,
) -> str:
    """Ties the first sentence's names to an article's title that is a name; the title's name or ""."""
    words = title.split()
    if len(words) < 2:
        return ""
    for span in [span for span in named if span.start < opening][:2]:
        # "Jeremy Thomas Camp (born ...)" in an article called "Jeremy Camp"
        longer = set(words) < set(span.text.split())
        if longer and span.type in {"PERSON", "MISC", "ORG"}:
            whole[span.text] = title
            types[title] = types[span.text]
            break
    if types.get(title) != "PERSON":
        return ""
    for span in named:
        if span.text in {words[0], words[-1]}:
            whole[span.text] = title
            types[span.text] = "PERSON"
    return title


def _followed(whole: Mapping[str, str]) -> dict[str, str]:
    """Aliases of aliases lead to the last name; a circle ends after a few steps."""
    ends: dict[str, str] = {}
    for name in whole:
        end = name
        for _ in range(MAX_ALIAS_STEPS):
            end = whole.get(end, end)
        ends[name] = end
    return ends
