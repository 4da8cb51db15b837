"""Names that a model gives: made tidy, looked for in the text, found in the article with their places."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kg.extract.model_text import one_line
from kg.model import NAMED_TYPES, EntityType, Mention
from kg.resolve.name_shape import abbreviates, is_acronym
from kg.resolve.normal_form import normal_form
from kg.resolve.type_families import VAGUE_TYPES, voted_type

LONGEST_NAME = 120
SHORTEST_SURNAME = 3
PRONOUNS = frozenset(
    {
        "i",
        "me",
        "my",
        "mine",
        "we",
        "us",
        "our",
        "you",
        "your",
        "he",
        "him",
        "his",
        "she",
        "her",
        "hers",
        "it",
    }
    | {"its", "they", "them", "their", "theirs", "this", "that", "these", "those", "here", "there", "one"}
    | {"who", "whom", "whose", "which", "what", "someone", "somebody", "anyone", "everyone", "nobody"}
)

_QUOTES = " \t\"'\u201c\u201d\u2018\u2019\u00ab\u00bb"
_EDGES = _QUOTES + ",;:.!?()[]-\u2013\u2014"
_NO_BRACKETS = str.maketrans("", "", "()")
_CLOSED_BY_STOP = re.compile(r"(?:\b[A-Z]\.)+[A-Z]$|\b(?:Jr|Sr|Inc|Ltd|Co|Corp|St|No)$")
_LEADING_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_](?:[\w.'\u2019-]*[^\W_])?")
_APOSTROPHE = "['\u2019\u02bc]"
_ACRONYM_AFTER = re.compile(r"\s*\(([\w.&]{2,9})\)")


def tidy_name(text: str) -> str:
    """A name on one line, without quotes around it and without a leading article; empty for a pronoun."""
    line = one_line(text)
    name = line.strip(_EDGES)
    if _CLOSED_BY_STOP.search(name) and f"{name}." in line:
        name += "."
    if name.count("(") != name.count(")"):
        balanced = line.strip(_QUOTES)
        name = (
            balanced if balanced.count("(") == balanced.count(")") else name.translate(_NO_BRACKETS).strip()
        )
    bare = _LEADING_ARTICLE.sub("", name)
    if _is_pronoun(name) or len(name) > LONGEST_NAME:
        return ""
    return name if _is_pronoun(bare) else bare


def _is_pronoun(name: str) -> bool:
    """Whether nobody is named: "us" and "It" are pronouns, "US" and "IT" aren't."""
    return name.casefold() in PRONOUNS and (len(name) == 1 or not name.isupper())


@dataclass(frozen=True, slots=True)
class SearchedText:
    """Texts in which names are looked for whatever their case, accents and punctuation."""

    forms: tuple[str, ...]

    def with_text(self, text: str) -> "SearchedText":
        """These texts and one more."""
        return SearchedText((*self.forms, _padded(text)))

    def has(self, name: str) -> bool:
        """Whether the words of a name stand in one of the texts, next to each other."""
        wanted = f" {normal_form(name)} "
        return bool(wanted.strip()) and any(wanted in form for form in self.forms)


def stands_in_group(name: str, text: str) -> bool:
    """Whether a name is that of a member of a group in `text`, which has the words that members share once.

    "Reds Party" in "the Reds and Blues parties", "Oda Wexler" in "Oda and Ivo Wexler": between the two halves
    of a name stand other members' names and "and" or "or", or these stand before it.
    """
    parts = name.split()
    if not all(part[:1].isupper() for part in parts):
        return False
    words = _TOKEN.findall(text)
    for cut in range(1, len(parts)):
        own, shared = parts[:cut], parts[cut:]
        for start in range(len(words)):
            following = words[start + cut :]
            if words[start : start + cut] != own:
                continue
            places = (n for n in range(len(following)) if _are_shared(shared, following[n : n + len(shared)]))
            place = next(places, len(following))
            between = following[:place]
            joined = {"and", "or"} & {*between, *(words[start - 1 : start] if not between else [])}
            if place < len(following) and joined and all(w[0].isupper() or w in joined for w in between):
                return True
    return False


def _are_shared(words: list[str], found: list[str]) -> bool:
    """Whether `found` are these words, the last of them perhaps in the plural."""
    *first, last = (word.casefold() for word in words)
    plurals = {last, f"{last}s", f"{last}es", f"{last.removesuffix('y')}ies"}
    lowered = [word.casefold() for word in found]
    return len(found) == len(words) and lowered[:-1] == first and lowered[-1] in plurals


def searched(*texts: str) -> SearchedText:
    """Texts to look for names in."""
    return SearchedText(tuple(map(_padded, texts)))


def _padded(text: str) -> str:
    # Normal forms drop a full stop that ends a word, but keep the one inside a number.
    return f" {normal_form(text)} "


def whole_names(names: Iterable[tuple[str, EntityType]]) -> dict[str, str]:
    """The whole name for each surname that belongs to exactly one person of the article.

    `names` are those that the article's triples use; "Wexler" is "Oda Wexler" if no other person's name, and
    no place's or organisation's, ends with it.
    """
    owners: defaultdict[str, set[str]] = defaultdict(set)
    others: set[str] = set()
    for name, kind in names:
        words = name.split()
        if kind == "PERSON" and len(words) > 1:
            owners[words[-1]].add(name)
        elif kind != "PERSON" and kind not in VAGUE_TYPES:
            others |= {name, words[-1]}
    return {
        surname: next(iter(whole))
        for surname, whole in owners.items()
        if len(whole) == 1
        and len(surname) >= SHORTEST_SURNAME
        and surname[0].isupper()
        and surname not in others
    }


def given_names(names: Iterable[tuple[str, EntityType]]) -> dict[str, str]:
    """The whole name for each lone first name that exactly one person of the article has."""
    given = list(names)
    lone = {name for name, kind in given if kind == "PERSON" and " " not in name}
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for name, kind in given:
        if kind == "PERSON" and " " in name:
            for word in {name.split()[0], name.split()[-1]} & lone:
                owners[word].add(name)
    return {
        word: next(iter(whole))
        for word, whole in owners.items()
        if len(whole) == 1 and next(iter(whole)).startswith(f"{word} ")
    }


def find_mentions(body: str, names: Iterable[tuple[str, EntityType]]) -> list[Mention]:
    """Every place of the body that holds one of these names, or a short form of it, in text order.

    Short forms are a surname that only one person has, and an acronym that the article puts in brackets
    after a name. Of names that overlap the longer one counts. What is a date, a number or has no name is left
    out.
    """
    types = _types(names)
    forms = {surname: name for surname, name in whole_names(types.items()).items() if surname not in types}
    forms = {**forms, **{name: name for name in types}}
    if not forms:
        return []
    forms |= dict(_declared_acronyms(body, forms))
    return [
        Mention(found.group(), forms[key], types[forms[key]], found.start(), found.end())
        for found in _pattern(forms).finditer(body)
        if (key := _key(found.group())) in forms
    ]


def _types(names: Iterable[tuple[str, EntityType]]) -> dict[str, EntityType]:
    """Each named thing's type, by vote where it came with several."""
    votes: defaultdict[str, Counter[EntityType]] = defaultdict(Counter)
    for name, kind in names:
        if kind in NAMED_TYPES:
            votes[_key(name)][kind] += 1
    return {name: voted_type(votes[name]) for name in sorted(votes)}


def _declared_acronyms(body: str, forms: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for found in _pattern(forms).finditer(body):
        declared = _ACRONYM_AFTER.match(body, found.end())
        if declared is None or declared[1] in forms or not is_acronym(declared[1]):
            continue
        name = forms.get(_key(found.group()))
        if name and abbreviates(declared[1], name):
            yield declared[1], name


def _pattern(forms: Iterable[str]) -> re.Pattern[str]:
    """Any of the forms as whole words; longer ones first, because the first that fits is taken."""
    ordered = sorted(forms, key=lambda form: (-len(form), form))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(_as_written, ordered))})(?!\w)")


def _as_written(form: str) -> str:
    # Forms are keys, which have straight apostrophes only.
    return r"\s+".join(re.escape(word).replace("'", _APOSTROPHE) for word in form.split())


def _key(surface: str) -> str:
    return " ".join(surface.replace("\u2019", "'").replace("\u02bc", "'").split())
