"""Exact merges: names that are one thing in every context, over a whole corpus.

Several kinds of evidence bond names (`kg.resolve.bonds` and its neighbours), in two rounds: first how names
are written, then, with those groups known, which acronym, surname, short name or near spelling can mean only
one of them. What hangs together becomes a group, unless it would hold unlike things (`kg.resolve.closure`).
Work is linear in the number of names, up to a sort.

Bonds between a name and its beginning or end: "Halden", "the Foundation" for what articles spell out.

Bonds between an acronym and the name it stands for: declared, well known, or the only fit.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kg.model import LITERAL_TYPES, NAMED_TYPES, PLACE_TYPES, EntityName, EntityType
from kg.resolve.bonds import (
    Bond,
    NameGroups,
    Pool,
    SplitGroup,
    bond,
    by_key,
    name_groups,
    only_partner,
    same_key_bonds,
    same_letters_bonds,
    spelling_bonds,
)
from kg.resolve.closure import closed_groups
from kg.resolve.name_pool import VAGUE_TYPES, PooledName, compatible, pool_names, voted_type
from kg.resolve.normal_form import (
    FUNCTION_WORDS,
    GENERIC_WORDS,
    KNOWN_ABBREVIATIONS,
    LANDMARKS,
    ORGANISATION_TAILS,
    PART_WORDS,
    PLACE_OPENINGS,
    TRADES,
    abbreviates,
    initials,
    is_acronym,
    normal_form,
    without_article,
)
from kg.resolve.people import person_bonds, person_words
from kg.text.lexicon import countries
from kg.text.words import PREPOSITIONS

DECLARED_ACRONYM_SCORE = 0.9
KNOWN_ABBREVIATION_SCORE = 0.9
UNDECLARED_ACRONYM_SCORE = 0.8
SPELT_OUT_SCORE = 0.95
SHORTEST_UNDECLARED = 3
_NO_LONG_NAME = VAGUE_TYPES | LITERAL_TYPES | {"PERSON", "GPE", "NORP"}

Groups = Sequence[Sequence[str]]


def acronym_bonds(pool: Pool, groups: Groups) -> tuple[list[Bond], list[SplitGroup]]:
    """A bond between an acronym that is a name by itself and the only group that it can stand for.

    `groups` are the names that are one already, so that "the Harrow Agency" and "Harrow Agency" count as
    one long name. An acronym that several groups declare is reported instead. One that none declares may be
    among the few that everybody knows; else it needs exactly one name of the whole corpus with its initials,
    of an agreeing type, that stands in an article with it.
    """
    declared = _declared_acronyms(pool, groups)
    known = _known_abbreviations(pool)
    by_initials = _long_names_by_initials(pool, groups)
    standalone: defaultdict[str, list[str]] = defaultdict(list)
    for name, entry in pool.items():
        if is_acronym(name) and entry.type not in LITERAL_TYPES:
            standalone[_letters(name)].append(name)
    bonds, splits = [], []
    for acronym, names in standalone.items():
        long_names = declared.get(acronym, ())
        if len(long_names) > 1:
            parts = (tuple(names), *((name,) for name in long_names))
            reason = f'the acronym "{acronym}" stands for {len(long_names)} names'
            splits.append(SplitGroup((*names, *long_names), parts, reason))
        elif long_names:
            evidence = f'"{acronym}" is declared as short for "{long_names[0]}" in an article'
            bonds.append(Bond((*names, *long_names), DECLARED_ACRONYM_SCORE, evidence))
        elif acronym in known:
            evidence = f'"{acronym}" is well known as short for "{known[acronym][0]}"'
            bonds.append(Bond((*names, *known[acronym]), KNOWN_ABBREVIATION_SCORE, evidence))
        elif long_name := _only_fit(pool, names, by_initials.get(acronym, ())):
            evidence = f'only "{long_name}" has the initials "{acronym}", and articles have both'
            bonds.append(Bond((*names, long_name), UNDECLARED_ACRONYM_SCORE, evidence))
    return bonds, splits


def spelt_out_bonds(pool: Pool) -> list[Bond]:
    """Bonds between names that differ in a well-known acronym: "US Senate", "United States Senate"."""
    by_key: defaultdict[str, list[str]] = defaultdict(list)
    spelt_out: defaultdict[str, list[str]] = defaultdict(list)
    for name, entry in pool.items():
        if " " in entry.key and entry.type not in LITERAL_TYPES:
            by_key[entry.key].append(name)
            if (key := _spelt_out(name)) != entry.key:
                spelt_out[key].append(name)
    return [
        Bond((*sorted(names), *by_key[key]), SPELT_OUT_SCORE, f'the same with "{key}" spelt out')
        for key, names in spelt_out.items()
        if by_key.get(key)
    ]


def _spelt_out(name: str) -> str:
    """The normal form of a name with its well-known acronyms in full."""
    words = (KNOWN_ABBREVIATIONS.get(_letters(w), w) if is_acronym(w) else w for w in name.split())
    return normal_form(" ".join(words))


def _declared_acronyms(pool: Pool, groups: Groups) -> dict[str, list[str]]:
    """For each acronym that articles resolved to longer names: one name of each group that has it."""
    declared: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for number, group in enumerate(groups):
        for name in (name for name in group if pool[name].type not in LITERAL_TYPES):
            for surface in pool[name].surfaces:
                if surface != name and is_acronym(surface) and abbreviates(surface, name):
                    declared[_letters(surface)].setdefault(number, name)
    return {acronym: sorted(names.values()) for acronym, names in declared.items()}


def _known_abbreviations(pool: Pool) -> dict[str, list[str]]:
    """For each well-known acronym: the names of the corpus that spell it out."""
    spelt_out: defaultdict[str, list[str]] = defaultdict(list)
    for name, entry in pool.items():
        spelt_out[entry.key].append(name)
    return {short: spelt_out[key] for short, key in KNOWN_ABBREVIATIONS.items() if key in spelt_out}


def _long_names_by_initials(pool: Pool, groups: Groups) -> dict[str, list[Sequence[str]]]:
    """The groups of long names by their initials."""
    found: defaultdict[str, list[Sequence[str]]] = defaultdict(list)
    for group in groups:
        letters = {
            letters
            for name in group
            if pool[name].type not in _NO_LONG_NAME and " " in pool[name].key
            for letters in initials(name)
            if len(letters) >= SHORTEST_UNDECLARED
        }
        for one in letters:
            found[one].append(group)
    return found


def _only_fit(pool: Pool, acronym_names: Sequence[str], groups: Sequence[Sequence[str]]) -> str:
    """A name of the only group of fitting type that shares an article with the acronym, or ""."""
    if len(groups) != 1:
        return ""
    articles = frozenset().union(*(pool[name].articles for name in acronym_names))
    fitting = sorted(
        name
        for name in groups[0]
        if pool[name].articles & articles
        and all(compatible(pool[name].type, pool[short].type) for short in acronym_names)
    )
    return fitting[0] if fitting else ""


def _letters(acronym: str) -> str:
    return acronym.replace(".", "").upper()


SHORT_NAME_SCORE = 0.8
SHORTEST = 3
ALONE_IN = 8
"""Articles with the short name for each with the long one, from which on the short one is no short form."""
_SHORTENED = frozenset({"ORG", "FAC", "EVENT", "PRODUCT", "LAW", "MISC"})


def short_name_bonds(pool: Pool, groups: Sequence[Sequence[str]]) -> list[Bond]:
    """The bonds between short names and the only longer name that their articles have.

    A name of common words ("the Foundation") is bonded only if all its articles name the same thing in full.
    A word of its own ("Nordlight") may stand alone in some, if the corpus has one longer name only.
    """
    known = name_groups(pool, groups)
    named = [one for one in pool.values() if one.type not in {"CONCEPT", "DATE", "NUMBER"}]
    return list(_bonds(known, named, by_key(named, _ends), _proper_words(named), _common_words(pool)))


def _bonds(
    groups: NameGroups,
    named: Sequence[PooledName],
    longer: dict[str, list[PooledName]],
    taken: frozenset[str],
    common: frozenset[str],
) -> Iterator[Bond]:
    for short in named:
        if not _may_be_short(short) or short.key not in longer:
            continue
        others = [one for one in longer[short.key] if groups.group_of(one) != groups.group_of(short)]
        own = not set(short.key.split()) <= common and short.key not in taken
        found = only_partner(groups, [short], _plausible(groups, short, others, taken), everywhere=not own)
        if found and not _is_known_alone(short, found):
            evidence = f'only "{found.name}" is longer, and articles have both'
            yield bond((short, found), SHORT_NAME_SCORE, evidence)


def _is_known_alone(short: PooledName, long: PooledName) -> bool:
    """Whether a name stands by itself so often that a longer one is of something else.

    "White House" in 32 articles is not short for the "White House Communications" of one. "Nordlight AG" may
    be as rare beside "Nordlight".
    """
    more = set(long.key.split()) - set(short.key.split())
    often = len(short.articles) >= ALONE_IN * len(long.articles)
    return often and not more <= ORGANISATION_TAILS


def _plausible(
    groups: NameGroups, short: PooledName, longer: Sequence[PooledName], taken: frozenset[str]
) -> list[PooledName]:
    """The names that `short` may be short for; none of a group that has it as a mere part of another name.

    "UH Mānoa" is no longer "Mānoa", because it is also called "University of Hawaii at Mānoa".
    """
    fits = {one.name: compatible(short.type, one.type) and _shortens(short, one, taken) for one in longer}
    spoilt = {groups.group_of(one) for one in longer if not fits[one.name]}
    return [one for one in longer if fits[one.name] and groups.group_of(one) not in spoilt]


def _ends(entry: PooledName) -> Iterator[str]:
    """All beginnings and ends of a name's key that are whole words."""
    words = entry.key.split()
    for cut in range(1, len(words)):
        yield " ".join(words[:cut])
        yield " ".join(words[cut:])


def _proper_words(named: Sequence[PooledName]) -> frozenset[str]:
    """Keys that name a person, a place or a people, or are somebody's surname."""
    keys = {one.key for one in named if one.type in PLACE_TYPES | {"PERSON", "NORP"}}
    keys |= {person_words(one.key)[-1] for one in named if one.type == "PERSON"}
    return frozenset(keys | {normal_form(word) for table in countries().items() for word in table})


def _common_words(pool: Pool) -> frozenset[str]:
    """Words that many things share, and all that the corpus writes small in phrases which are no names."""
    phrases = (one.name for one in pool.values() if one.type == "CONCEPT")
    return GENERIC_WORDS | {word for phrase in phrases for word in phrase.split() if word.islower()}


def _may_be_short(entry: PooledName) -> bool:
    bare = without_article(entry.name)
    return (
        len(entry.key) >= SHORTEST and bare[:1].isupper() and not is_acronym(bare) and entry.type != "PERSON"
    )


def _shortens(short: PooledName, long: PooledName, taken: frozenset[str]) -> bool:
    """Whether what `long` has beyond `short` makes it the same thing's full name."""
    if short.marks != long.marks:
        return False
    words, few = long.key.split(), short.key.split()
    at_end = words[-len(few) :] == few
    dropped = words[: -len(few)] if at_end else words[len(few) :]
    if long.type in PLACE_TYPES - {"FAC"}:
        return at_end and tuple(dropped) in PLACE_OPENINGS
    if long.type not in _SHORTENED or short.key in taken:
        return False
    if at_end:
        return dropped[-1] not in FUNCTION_WORDS | PREPOSITIONS and not set(few) <= PART_WORDS
    if set(few) <= GENERIC_WORDS:
        return dropped[0] == "of"
    return TRADES.issuperset(dropped) if long.type == "ORG" else LANDMARKS.issuperset(dropped)


_QUOTES = frozenset("\"'\u2018\u2019\u201c\u201d")


@dataclass(frozen=True, slots=True)
class AliasMerge:
    """A name that was merged into `canonical`; `score` is the weakest evidence on the way there."""

    alias_name: str
    canonical: str
    score: float
    evidence: str


@dataclass(frozen=True, slots=True)
class ExactMerges:
    """Every name's canonical name, the canonical names' types, the merges behind it and the refusals."""

    canonical: dict[str, str]
    type_of: dict[str, EntityType]
    aliases: list[AliasMerge]
    split: list[SplitGroup]


def merge_exact(
    names: Sequence[EntityName], declared: Sequence[Bond] = (), apart: Collection[tuple[str, str]] = ()
) -> ExactMerges:
    """Decide which names of a corpus are one thing; the order of the input has no influence.

    `declared` are bonds from outside: what texts state, a model's verdicts, and those made by hand (evidence
    `kg.resolve.bonds.BY_HAND`), which win over everything but `apart`. `apart` are pairs of names that must
    never be one: their group is cut where the evidence is weakest. Names that the corpus does not have are
    passed over in both.
    """
    pool = pool_names(names)
    given = [bond for bond in declared if sum(name in pool for name in set(bond.names)) > 1]
    key_bonds, told_apart = same_key_bonds(pool)
    bonds = [*given, *key_bonds, *same_letters_bonds(pool), *spelt_out_bonds(pool)]
    groups, _ = closed_groups(pool, bonds, apart)
    short_bonds, ambiguous = acronym_bonds(pool, groups)
    bonds += [*short_bonds, *person_bonds(pool, groups)[0], *spelling_bonds(pool, groups)]
    groups, _ = closed_groups(pool, bonds, apart)
    names_bonds, namesakes = person_bonds(pool, groups)
    bonds += [*names_bonds, *short_name_bonds(pool, groups)]
    groups, refused = closed_groups(pool, bonds, apart)

    canonical: dict[str, str] = {}
    type_of: dict[str, EntityType] = {}
    aliases: list[AliasMerge] = []
    bonds_of = _bonds_by_name(bonds)
    keys = frozenset(entry.key for entry in pool.values())
    for group in groups:
        partial = _partial_names(pool, group, keys)
        kind = voted_type(_votes(pool[name] for name in group))
        chosen = min(
            group, key=lambda name: (not _may_stand_for(name, kind), *_rank(pool[name], name in partial))
        )
        canonical.update(dict.fromkeys(group, chosen))
        type_of[chosen] = kind
        aliases += _aliases(chosen, group, bonds_of)
    kept_apart = [split for split in told_apart + ambiguous + namesakes if not _are_one(split, canonical)]
    return ExactMerges(canonical, type_of, aliases, kept_apart + refused)


def _are_one(split: SplitGroup, canonical: dict[str, str]) -> bool:
    """Whether other evidence joined all that a rule had told apart."""
    return len({canonical[name] for name in split.names}) == 1


def _partial_names(pool: Pool, group: Sequence[str], keys: Collection[str]) -> set[str]:
    """The names that are a beginning or an end of another in their group, which says more.

    "Beyond Fest" is whole beside "Hulu's Beyond Fest" where Hulu is a thing of its own.
    """
    ends: set[tuple[str, ...]] = set()
    for name in group:
        owner, _, owned = name.replace("\u2019", "'").partition("'s ")
        if " " in owned and normal_form(owner) in keys:
            continue
        words = _words(pool[name])
        ends |= {part for cut in range(1, len(words)) for part in (words[:cut], words[cut:])}
    return {name for name in group if _words(pool[name]) in ends}


def _words(entry: PooledName) -> tuple[str, ...]:
    return person_words(entry.key) if entry.type == "PERSON" else tuple(entry.key.split())


def _may_stand_for(name: str, kind: EntityType) -> bool:
    """Whether a name may be that of its group.

    A person's has two words beside titles, and no digit or acronym ("2031 Harbour Cup MVP"); another thing's
    is no description in small letters.
    """
    words = without_article(name).split()
    if kind != "PERSON":
        return kind not in NAMED_TYPES or kind == "MISC" or not name.islower()
    if len(person_words(normal_form(name))) < 2 or any(
        is_acronym(word) or any(map(str.isdigit, word)) for word in words
    ):
        return False
    return words[0][:1].isupper() and not words[-1].islower()


def _rank(entry: PooledName, partial: bool) -> tuple[bool, bool, bool, int, int, str]:
    """Smallest for the best name of a group: written out, whole, tidy, frequent, long, then by letters."""
    bare = without_article(entry.name)
    short = is_acronym(bare)
    shouted = bare.isupper() and not short
    owned = "'s " in bare or "\u2019s " in bare
    framed = bare.endswith(("'s", "\u2019s")) or bare[:1] in _QUOTES or bare[-1:] in _QUOTES
    untidy = shouted or framed or owned or bare != entry.name
    return short, partial, untidy, -entry.count, -len(entry.name), entry.name


def _votes(entries: Iterable[PooledName]) -> Counter[EntityType]:
    votes: Counter[EntityType] = Counter()
    for entry in entries:
        for kind, count in entry.votes:
            votes[kind] += count
    return votes


def _aliases(chosen: str, group: Sequence[str], bonds_of: dict[str, list[Bond]]) -> list[AliasMerge]:
    """A merge for each other name of the group, with the evidence that leads from it to the chosen one."""
    members = set(group)
    score = {chosen: 1.0}
    waiting = deque([chosen])
    walked = set[int]()
    merges = []
    while waiting:
        reached_from = waiting.popleft()
        bonds = [bond for bond in bonds_of.get(reached_from, ()) if id(bond) not in walked]
        walked.update(map(id, bonds))
        for one in sorted(bonds, key=lambda bond: (-bond.score, bond.names, bond.evidence)):
            for name in one.names:
                if name in members and name not in score:
                    score[name] = min(score[reached_from], one.score)
                    through = "" if reached_from == chosen else f' as "{reached_from}"'
                    merges.append(AliasMerge(name, chosen, score[name], one.evidence + through))
                    waiting.append(name)
    return sorted(merges, key=lambda merge: merge.alias_name)


def _bonds_by_name(bonds: Sequence[Bond]) -> dict[str, list[Bond]]:
    by_name: defaultdict[str, list[Bond]] = defaultdict(list)
    for one in bonds:
        for name in one.names:
            by_name[name].append(one)
    return by_name
