"""What bonds make of names: groups that hang together, strongest evidence first, and no unlike things in one.

Bonds are transitive, so two right ones can chain a town to a person, or Ana Brel to Otto Brel through
"Brel". Names are therefore joined one bond after the other, the strongest first, and a bond that would join
unlike things is refused and reported. What is refused is thus always the weakest evidence on the way.

Aliases that a text states: "X, also known as Y", "X (Y)", "X was formerly named Y", "Y, sold as X".

A title states one of whom its text calls by a longer name.

After a sentence that begins with X, "Its generic name is Y" states one too.

To be given what articles say in their own words: in a rewritten claim, what a pronoun stood for may be wrong,
and then its alias would be too.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kg.model import LITERAL_TYPES, REGION_TYPES, EntityName, EntityType
from kg.resolve.bonds import BY_HAND, Bond, Pool, SplitGroup
from kg.resolve.name_pool import Marks, PooledName, conflict_among, family
from kg.resolve.normal_form import abbreviates, is_acronym, normal_form
from kg.resolve.people import LINKS, are_alike, person_words

DOMINANT_SHARE = 0.9
STATED = "article says"
"""Evidence that begins so is a sentence that says of two names that they are one thing's."""


@dataclass(slots=True)
class _Part:
    """Names that are one by now, and all that must agree with what joins them."""

    names: list[str]
    families: Counter[str]
    literal: str
    full_names: set[str]
    marks: list[Marks]
    apart: set[str] = field(default_factory=set)


def closed_groups(
    pool: Pool, bonds: Sequence[Bond], apart: Collection[tuple[str, str]] = ()
) -> tuple[list[tuple[str, ...]], list[SplitGroup]]:
    """The groups that `bonds` make, in the order of their names, and the groups that were not made.

    `apart` are pairs of names that end in different groups whatever the bonds say. A bond by hand is stopped
    by nothing else.
    """
    closure = _Closure(pool, apart)
    for bond in sorted(bonds, key=lambda one: (one.evidence != BY_HAND, -one.score, one.names, one.evidence)):
        closure.join(bond)
    return closure.groups(), closure.splits()


class _Closure:
    """A disjoint-set forest whose unions can be refused."""

    def __init__(self, pool: Pool, apart: Collection[tuple[str, str]]) -> None:
        self._pool = pool
        self._part = {name: _part_of(entry) for name, entry in pool.items()}
        self._refused: list[tuple[tuple[str, ...], str]] = []
        for one, other in apart:
            if one in self._part and other in self._part:
                self._part[one].apart.add(other)
                self._part[other].apart.add(one)

    def join(self, bond: Bond) -> None:
        """Unite the parts that hold the bond's names, as far as they agree."""
        parts = _distinct(self._part[name] for name in bond.names if name in self._part)
        if len(parts) < 2:
            return
        by_hand = bond.evidence == BY_HAND
        blocks = [parts] if by_hand or _is_stated_of_a_lone_name(bond, parts) else _by_family(parts)
        if len(blocks) > 1:
            self._refused.append((bond.names, "types that can't be one thing"))
        for block in blocks:
            united: list[_Part] = []
            for part in block:
                self._place(part, united, bond, by_hand)

    def _place(self, part: _Part, united: list[_Part], bond: Bond, by_hand: bool) -> None:
        """Unite a part with the first of `united` that it agrees with, else add it to them."""
        reasons = []
        for place, other in enumerate(united):
            reason = self._reason_against(other, part, bond, by_hand)
            if not reason:
                united[place] = self._unite(other, part)
                return
            reasons.append(reason)
        if reasons:
            self._refused.append((bond.names, reasons[0]))
        united.append(part)

    def _reason_against(self, one: _Part, other: _Part, bond: Bond, by_hand: bool) -> str:
        small, large = sorted((one, other), key=lambda part: len(part.apart))
        if any(self._part[name] is large for name in small.apart) or any(
            self._part[name] is small for name in large.apart
        ):
            return "kept apart by hand"
        if by_hand:
            return ""
        if axis := conflict_among(one.marks, other.marks):
            return f"conflicting {axis}"
        if one.full_names and other.full_names and not bond.evidence.startswith(STATED):
            alike = any(are_alike(mine, theirs) for mine in one.full_names for theirs in other.full_names)
            if not alike and not self._joins_full_names(bond, one, other):
                return "full names of two people"
        return ""

    def _joins_full_names(self, bond: Bond, one: _Part, other: _Part) -> bool:
        """Whether the bond itself is between two full names: then its evidence says that they are one's."""
        keys = {self._pool[name].key for name in bond.names if name in self._pool}
        return len(bond.names) == 2 and bool(keys & one.full_names) and bool(keys & other.full_names)

    def _unite(self, one: _Part, other: _Part) -> _Part:
        large, small = (one, other) if len(one.names) >= len(other.names) else (other, one)
        for name in small.names:
            self._part[name] = large
        large.names += small.names
        large.families += small.families
        large.literal = large.literal or small.literal
        large.full_names |= small.full_names
        large.marks += [found for found in small.marks if found not in large.marks]
        large.apart |= small.apart
        return large

    def groups(self) -> list[tuple[str, ...]]:
        """All groups, each in the order of its names."""
        return [tuple(sorted(part.names)) for part in _distinct(self._part[name] for name in self._pool)]

    def splits(self) -> list[SplitGroup]:
        """What was refused, unless another bond joined it after all; each set of groups once."""
        found: dict[tuple[tuple[str, ...], ...], SplitGroup] = {}
        for names, reason in self._refused:
            parts = _distinct(self._part[name] for name in names if name in self._part)
            pieces = tuple(sorted(tuple(sorted(part.names)) for part in parts))
            if len(pieces) > 1 and pieces not in found:
                whole = tuple(sorted(name for piece in pieces for name in piece))
                found[pieces] = SplitGroup(whole, pieces, reason)
        return [found[pieces] for pieces in sorted(found)]


def _part_of(entry: PooledName) -> _Part:
    literal = entry.type if entry.type in LITERAL_TYPES else ""
    full = {entry.key} if entry.type == "PERSON" and len(person_words(entry.key)) > 1 else set()
    return _Part(
        [entry.name],
        Counter({family(entry.type): entry.count}),
        literal,
        full,
        [entry.marks] if entry.marks else [],
    )


def _distinct(parts: Iterable[_Part]) -> list[_Part]:
    return list({id(part): part for part in parts}.values())


def _by_family(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Parts by family; vague ones go with a family that clearly dominates, else stay by themselves."""
    members: defaultdict[str, list[_Part]] = defaultdict(list)
    mentions: Counter[str] = Counter()
    for part in parts:
        kind = part.literal or _family(part)
        members[kind].append(part)
        mentions[kind] += part.families.total()
    vague = members.pop("", [])
    del mentions[""]
    if not members:
        return [vague]
    largest, count = min(mentions.items(), key=lambda item: (-item[1], item[0]))
    if largest not in LITERAL_TYPES and count >= DOMINANT_SHARE * mentions.total():
        members[largest] += vague
        vague = []
    return [*members.values(), *([vague] if vague else [])]


def _family(part: _Part) -> str:
    """The family that most mentions of a part have, "" where all are vague."""
    counts = {kind: count for kind, count in part.families.items() if kind}
    return min(counts, key=lambda kind: (-counts[kind], kind)) if counts else ""


def _is_stated_of_a_lone_name(bond: Bond, parts: Sequence[_Part]) -> bool:
    """Whether a sentence says that a name which hangs on nothing else is another's.

    That tells more than the type which a recogniser guessed for a name that it saw a few times.
    """
    stated = bond.evidence.startswith(STATED) and not any(part.literal for part in parts)
    return stated and min(len(part.names) for part in parts) == 1


STATED_SCORE = 0.9
BRACKET_SCORE = 0.85
TITLED_SCORE = 0.85
LONGEST_NAME = 12
"""Words looked at on either side of a phrase."""
SHORTEST_ACRONYM = 3

# Quantifiers with a + are possessive: time stays linear on any sentence.
_FRAME = (
    r"(?<!\s)(?:\s*+,\s*+|\s++\(|"
    r"(?:\s*+,)?\s++(?:(?:who|which|that)\s*+)?(?:is|was|are|were|has\s++been|have\s++been)\s++)"
)
_ADVERB = r"(?:also|better|formerly|previously|once|originally|locally|popularly|commonly|now|later|then)"
_CALLING = (
    r"(?:known\s+as|known\s+by\s+the\s+name(?:\s+of)?|nicknamed|dubbed|renamed(?:\s+as)?|sold\s+as|"
    r"marketed\s+as|branded\s+as|shortened\s+to|abbreviated\s+(?:as|to)|aka|a\.k\.a\.|n[ée]e)"
)
_PHRASE = re.compile(
    rf"{_FRAME}(?:(?:{_ADVERB}\s++)*{_CALLING}|(?:{_ADVERB}\s+)+(?:called|named))\s+",
    re.IGNORECASE,
)
_FORMERLY = re.compile(r"(?:,|\s\()\s*(?:formerly|previously|originally|now)\s+(?=[A-Z]|the\s+[A-Z])")
_KIND_OF_NAME = (
    r"\s+(?:(?:generic|scientific|Latin|official|full|real|former|old|original|brand|trade|birth|"
    r"maiden|stage|other)\s+name|nickname|acronym|abbreviation)(?:\s+is|\s+was|,)\s+"
)
_ALIAS_PREDICATE = re.compile(
    rf"(?:.*\s)?(?:{_CALLING}|alias)"
    rf"|(?:.*\s)?{_ADVERB}\s+(?:called|named)"
    r"|(?:is|are|was|were|been|being)\s(?:.*\s)?called"
    r"|(?>(?:.*?\s)?(?:under|by|with|as|to|into)\s)(?:.*\s)?name(?:\s+of)?"
    r"|(?:is|was|has|had|bears|took|uses|used)\s(?:.*\s)?name(?:\s+(?:is|was|of|for))?"
    r"|(?:.*\s)?(?:(?:nickname|pseudonym|acronym|abbreviation)(?:\s+(?:is|was|of|for))?|short\s+for)",
    re.IGNORECASE,
)
_NAME_IS = re.compile(r"['\u2019]s?" + _KIND_OF_NAME)
_ITS_NAME_IS = re.compile(r"(?<=[.!?]\s)([A-Z][^.!?]{3,150})[.!?]\s+(?:Its|His|Her|Their)" + _KIND_OF_NAME)
_BRACKET = re.compile(r"(?<!\s)\s++\((?=[^()]{2,60}\))")
_GOES_ON = re.compile(r"[\"'\u2018\u2019\u201c\u201d]?(?:\s+(?:of|in)\s|\s+[A-Z]|-\w)")
_WORD = re.compile(r"[^\W_][^\s,;:!?()\"\u201c\u201d]*")
_QUOTES = "\"'\u2018\u2019\u201c\u201d "
_UNNAMED: frozenset[EntityType] = frozenset({"CONCEPT", "DATE", "NUMBER"})
_SHORTENED: frozenset[EntityType] = frozenset({"ORG", "FAC", "PRODUCT", "EVENT", "LAW", "MISC"})

_Span = tuple[str, int]
Ends = tuple[str, str]


def states_alias(predicate: str) -> bool:
    """Whether a predicate only says how something is called as well: "performed under ring name", "is also
    known as". What stands behind it is no other thing."""
    return _ALIAS_PREDICATE.fullmatch(" ".join(predicate.split())) is not None


def stated_aliases(texts: Iterable[tuple[str, str]], names: Sequence[EntityName]) -> list[Bond]:
    """Bonds between known names that a text says to be one; `texts` are (title of the article, text).

    The order of the texts has no influence. A name is looked for only beside a phrase that announces an
    alias, so that work is linear in the text. What stands in brackets counts only as an abbreviation of what
    stands before them: "Brel (Greens)" and "Vell (Harrow)" are no aliases. An article called "Ana Brel" whose
    text has nobody of these names but "Ana Maria Brel" calls her so too.
    """
    types = {row.name: row.type for row in names}
    known = {_fold(name): name for name in sorted(types, reverse=True)}
    found: dict[tuple[str, str], Bond] = {}
    people = _by_ends(names)
    for article, text in texts:
        for bond in _bond_by_title(article, text, people):
            found.setdefault((bond.names[0], bond.names[1]), bond)
        for one, other, phrase, score in _pairs(text, known, types):
            pair = (min(one, other), max(one, other))
            verb = STATED if score == STATED_SCORE else "article has"
            bond = Bond(pair, score, f'{verb} "{" ".join(phrase.split())}" ({article})')
            found[pair] = min(found.get(pair, bond), bond, key=lambda one: (-one.score, one.evidence))
    return [found[pair] for pair in sorted(found)]


def _by_ends(names: Iterable[EntityName]) -> Mapping[Ends, list[str]]:
    """The people's names of two words or more under the first and the last of them."""
    found: defaultdict[Ends, list[str]] = defaultdict(list)
    for name in sorted({row.name for row in names if row.type == "PERSON"}):
        words = person_words(normal_form(name))
        if len(words) > 1 and not LINKS & set(words):
            found[words[0], words[-1]].append(name)
    return found


def _bond_by_title(title: str, text: str, people: Mapping[Ends, list[str]]) -> Iterator[Bond]:
    """The name in a title and the only one of these ends in the text, where that has more in the middle.

    An initial is no more: who is called "Ana M. Brel" has namesakes.
    """
    words = person_words(normal_form(title))
    sharing = people.get((words[0], words[-1]), ()) if len(words) > 1 else ()
    inside = [name for name in sharing if name in text]
    if title not in sharing or len(inside) != 1 or inside[0] == title:
        return
    longer = person_words(normal_form(inside[0]))
    more = [word for word in longer if word not in words]
    if len(longer) == len(words) + len(more) and more and all(len(word) > 1 for word in more):
        names = (min(title, inside[0]), max(title, inside[0]))
        yield Bond(names, TITLED_SCORE, f'only "{inside[0]}" has the first and last name of "{title}"')


def _pairs(
    text: str, known: Mapping[str, str], types: Mapping[str, EntityType]
) -> Iterator[tuple[str, str, str, float]]:
    """Every pair of names around an announcing phrase, the words that say so, and the score."""
    for pattern in (_PHRASE, _FORMERLY, _NAME_IS):
        for match in pattern.finditer(text):
            before = _name_before(text[: match.start()].rstrip(" ,("), known)
            after = _name_after(text[match.end() :], known)
            if before and after and _may_be_named(before, after, types):
                if types[before[0]] in REGION_TYPES and _ends_address(text[: before[1]][-200:], known):
                    continue  # "Vellmouth, Harrow Empire (now Tolland)" tells where Vellmouth lies by now
                yield before[0], after[0], text[before[1] : match.end() + after[1]], STATED_SCORE
    for match in _ITS_NAME_IS.finditer(text):
        before = _name_at_start(match[1], known)
        after = _name_after(text[match.end() :], known)
        if before and after and _may_be_named(before, after, types):
            yield before[0], after[0], text[match.start() : match.end() + after[1]], STATED_SCORE
    for match in _BRACKET.finditer(text):
        before = _name_before(text[: match.start()], known)
        after = _name_in_bracket(text[match.end() :], known)
        if before and after and _abbreviates(after[0], before[0], types):
            yield before[0], after[0], text[before[1] : match.end() + after[1] + 1], BRACKET_SCORE


def _may_be_named(before: _Span, after: _Span, types: Mapping[str, EntityType]) -> bool:
    """Whether both are names, and two of them."""
    both_named = types[before[0]] not in _UNNAMED and types[after[0]] not in _UNNAMED
    return both_named and before[0] != after[0]


def _ends_address(before: str, known: Mapping[str, str]) -> bool:
    """Whether a place follows another name and a comma."""
    inner = re.sub(r",\s+(?:the\s+)?$", "", before)
    return inner != before and _name_before(inner, known) is not None


def _abbreviates(short: str, long: str, types: Mapping[str, EntityType]) -> bool:
    """Whether a bracket abbreviates the name before it, by its letters or as an organisation's acronym."""
    if short == long or "PERSON" in {types[short], types[long]}:
        return False
    if len(short) < len(long) and abbreviates(short, long):
        return True
    foreign = is_acronym(short) and len(short.replace(".", "")) >= SHORTEST_ACRONYM
    return foreign and " " in long and types[short] in _SHORTENED and types[long] in _SHORTENED - {"MISC"}


def _name_before(text: str, known: Mapping[str, str]) -> _Span | None:
    """The longest known name that ends `text`, and where it starts."""
    starts = [word.start() for word in _WORD.finditer(text[-200:])][-LONGEST_NAME:]
    offset = len(text) - len(text[-200:])
    for start in starts:
        name = known.get(_fold(text[offset + start :]))
        if name:
            return name, offset + start
    return None


def _name_after(text: str, known: Mapping[str, str]) -> _Span | None:
    """The longest known name that begins `text`, and where it ends.

    None where a name goes on after it: "the Falcon of the North", "Kim" of "Kim Kardashian".
    """
    if re.match(r"an?\s", text):
        return None  # "formerly a church" says what it was, not how it was called
    ends = [word.end() for word in _WORD.finditer(text[:200])][:LONGEST_NAME]
    for end in reversed(ends):
        name = known.get(_fold(text[:end]))
        if name:
            return None if text[end - 1] != "." and _GOES_ON.match(text[end:]) else (name, end)
    return None


def _name_at_start(sentence: str, known: Mapping[str, str]) -> _Span | None:
    """The known name that a sentence begins with, and where it ends."""
    return _name_after(re.sub(r"^The\s+", "", sentence), known)


def _name_in_bracket(text: str, known: Mapping[str, str]) -> _Span | None:
    """The known name that fills a bracket, and where it ends."""
    end = text.find(")")
    name = known.get(_fold(re.sub(r"^(?:or|also|aka|a\.k\.a\.)\s+", "", text[:end])))
    return (name, end) if name else None


def _fold(text: str) -> str:
    bare = text.strip(_QUOTES).rstrip(".").casefold()
    return bare.removeprefix("the ").strip(_QUOTES)
