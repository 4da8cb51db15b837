"""An article as a model gets it: numbered sentences, as many of them as a batch needs to be understood.

Names that a model gives: made tidy, looked for in the text, found in the article with their places.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from kg.extract.dates import MONTHS, WEEKDAYS
from kg.extract.protocol import ExtractionInput
from kg.model import NAMED_TYPES, EntityType, Mention
from kg.resolve.name_pool import VAGUE_TYPES, voted_type
from kg.resolve.normal_form import abbreviates, is_acronym, normal_form

SENTENCES_A_REQUEST = 10
CHARACTERS_A_REQUEST = 3_000
LONGEST_SENTENCE = 1_500
"""Characters; longer ones are tables and lists that lost their line breaks: nothing is asked about them."""

SHOWN_AT_START = 2
SHOWN_BEFORE = 5
SHOWN_AFTER = 1
MOST_INTRODUCTIONS = 6
"""Sentences that are shown with a batch: the article's first, which say what it is about, those around the
batch, to which its pronouns point, and the first that have the batch's names, where they are mostly whole."""
WORTH_LEAVING_OUT = 3
"""Fewer sentences in a row are shown rather than left out."""

_CUT = 300
_NAME = re.compile(r"(?<![\w.])[A-Z]\w+(?:[ -](?:(?:al|bin|de|of the|of|van|von)[ -])?[A-Z]\w+)*")
_ACRONYM = re.compile(r"\(([A-Z][\w.&]{1,8})\)")
_OPENING_WORDS = "The This That These Those In On At As For He She It They His Her Its Their After Mr Mrs Ms"
_OPENING = frozenset(_OPENING_WORDS.split())
"""Words that have a capital only because a sentence or a name begins with them."""


@dataclass(frozen=True, slots=True)
class NumberedArticle:
    """An article whose sentences are known by their number, from 1."""

    title: str
    published: date | None
    sentences: tuple[str, ...]

    def sentence(self, number: int) -> str:
        """The sentence of that number, on one line."""
        return self.sentences[number - 1]

    def shown_with(self, numbers: Sequence[int]) -> str:
        """Title, date and the sentences that one must know to understand those of `numbers`.

        The lines are "[number] sentence"; "[...]" stands for sentences that were left out.
        """
        lines = [f"Title: {self.title or 'none'}", f"Date: {spelt_out(self.published)}", ""]
        last = 0
        for number in self._around(numbers):
            if number > last + 1:
                lines.append("[...]")
            sentence = self.sentence(number)
            shown = sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[:_CUT]} ..."
            lines.append(f"[{number}] {shown}")
            last = number
        if last < len(self.sentences):
            lines.append("[...]")
        return "\n".join(lines)

    def _around(self, numbers: Sequence[int]) -> Iterator[int]:
        last = len(self.sentences)
        shown = set(range(1, min(SHOWN_AT_START, last) + 1))
        shown |= set(range(max(1, numbers[0] - SHOWN_BEFORE), min(last, numbers[-1] + SHOWN_AFTER) + 1))
        shown |= set(self._introductions(numbers, shown))
        gap: list[int] = []
        for number in range(1, last + 1):
            if number not in shown:
                gap.append(number)
                continue
            if len(gap) < WORTH_LEAVING_OUT:
                yield from gap
            gap = []
            yield number
        if len(gap) < WORTH_LEAVING_OUT:
            yield from gap

    def _introductions(self, numbers: Sequence[int], shown: Collection[int]) -> Iterator[int]:
        """For each surname and acronym of the batch the first sentence that has a longer name with it."""
        whole: dict[str, int] = {}
        for number in sorted({*range(1, numbers[0]), *numbers}):
            declared = _ACRONYM.findall(self.sentence(number))
            for words in [declared, *(run for run in self._names(number) if len(run) > 1)]:
                whole.update({word: number for word in words if word not in whole})
        lone = (words[0] for number in numbers for words in self._names(number) if len(words) == 1)
        found = dict.fromkeys(whole[word] for word in lone if word in whole and whole[word] not in shown)
        yield from list(found)[:MOST_INTRODUCTIONS]

    def _names(self, number: int) -> list[list[str]]:
        """The runs of capitalised words of a sentence."""
        runs = (re.split("[ -]", found[0]) for found in _NAME.finditer(self.sentence(number)))
        named = ([word for word in run if word not in _OPENING] for run in runs)
        return [run for run in named if run]


def numbered(item: ExtractionInput) -> NumberedArticle:
    """An article by its sentences; line breaks inside them become blanks."""
    return NumberedArticle(
        title=one_line(item.title),
        published=item.published_at.date() if item.published_at else None,
        sentences=tuple(one_line(item.body[span.start : span.end]) for span in item.sentences),
    )


def worth_asking(article: NumberedArticle) -> list[int]:
    """The numbers of the sentences that have words and are no table."""
    return [
        number
        for number, sentence in enumerate(article.sentences, start=1)
        if len(sentence) <= LONGEST_SENTENCE and any(map(str.isalpha, sentence))
    ]


def too_long(article: NumberedArticle) -> list[int]:
    """The numbers of the sentences that are left out for their length."""
    return [n for n, sentence in enumerate(article.sentences, start=1) if len(sentence) > LONGEST_SENTENCE]


def request_batches(texts: Sequence[tuple[int, str]]) -> list[tuple[int, ...]]:
    """Numbers whose texts go into one request: at most 10 and 3,000 characters, but at least one.

    Batches are of about the same length where that takes no more of them: 12 texts are two batches of 6.
    """
    packed = [_packed(texts, at_once) for at_once in range(1, SENTENCES_A_REQUEST + 1)]
    return min(packed, key=lambda batches: (len(batches), -min(map(len, batches), default=0)))


def _packed(texts: Sequence[tuple[int, str]], at_once: int) -> list[tuple[int, ...]]:
    batches: list[tuple[int, ...]] = []
    batch: list[int] = []
    size = 0
    for number, text in texts:
        if batch and (len(batch) == at_once or size + len(text) > CHARACTERS_A_REQUEST):
            batches.append(tuple(batch))
            batch, size = [], 0
        batch.append(number)
        size += len(text)
    return [*batches, tuple(batch)] if batch else batches


def spelt_out(day: date | None) -> str:
    """ "Thursday 9 January 2031", so that "on Monday" can be counted from it; "unknown" without one."""
    if day is None:
        return "unknown"
    return f"{WEEKDAYS[day.weekday()].capitalize()} {day.day} {MONTHS[day.month - 1]} {day.year}"


def listed(numbers: Sequence[int]) -> str:
    """ "sentence 4" or "sentences 4, 6, 7", with a range where none is left out: "sentences 11-20"."""
    if len(numbers) == 1:
        return f"sentence {numbers[0]}"
    if list(numbers) == list(range(numbers[0], numbers[-1] + 1)):
        return f"sentences {numbers[0]}-{numbers[-1]}"
    return f"sentences {', '.join(map(str, numbers))}"


def one_line(text: str) -> str:
    """The text with single blanks, and without characters that can't be shown."""
    return " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())


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
