"""Bonds between the ways in which a person is named: with a title, a middle name, a short form, by surname.

    title        "King Ostred II" and "Ostred II"; "Mayor Brel" beside Ana Brel
    middle name  "Ana M. Brel" and "Ana Brel", where no other name of the corpus lies between these ends, and
                 articles of the two have one or name another thing or person in common
    short form   "Liz Brel" and "Elizabeth Brel" in one article
    surname      "Brel" in articles that each name exactly one Brel in full, the same one; or anywhere, if the
                 corpus has one Brel only, who is in several articles in full

Each works through an index, so that no name is compared with all others.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kg.model import NAMED_TYPES
from kg.resolve.bonds import Bond, NameGroups, Pool, SplitGroup, bond, by_key, name_groups, only_partner
from kg.resolve.name_pool import NUMBERS, VAGUE_TYPES, PooledName, conflict
from kg.resolve.normal_form import FULL_FORMS, NAME_SUFFIXES, TITLES, gender_of_honorific
from kg.text.lexicon import genders

TITLE_SCORE = 0.9
MIDDLE_NAME_SCORE = 0.85
SURNAME_SCORE = 0.85
SHORT_FORM_SCORE = 0.8
PROMINENT_SCORE = 0.8
PROMINENT_ARTICLES = 3
"""Who is named in full in so many articles may be called by surname alone in another."""
NAMESAKES = "namesakes, as far as their articles tell: a middle name, and nothing else in common"
LINKS = frozenset({"of", "the", "and", "with"})
"""Words of what is no given name and surname: "William the Rich", "Nawrahta of Kanni"."""
_TELLING = NAMED_TYPES - {"GPE", "LOC", "NORP", "MISC"}


def person_bonds(pool: Pool, groups: Sequence[Sequence[str]]) -> tuple[list[Bond], list[SplitGroup]]:
    """The bonds between names of people, and names that nothing but their ends bonds; `groups` are the names
    that are one already."""
    known = name_groups(pool, groups)
    people = [entry for entry in pool.values() if entry.type == "PERSON"]
    full = [entry for entry in people if _is_first_and_last(entry)]
    longer, namesakes = _middle_names(known, full)
    return [
        *_bond_titled_names(people),
        *longer,
        *_short_forms(known, full),
        *_surnames(known, full),
    ], namesakes


def person_words(key: str) -> tuple[str, ...]:
    """The words of a person's key without titles and suffixes: "mayor ana brel jr" is ("ana", "brel")."""
    words = key.split()
    while len(words) > 1 and words[0] in TITLES:
        words = words[1:]
    while len(words) > 1 and words[-1] in NAME_SUFFIXES:
        words = words[:-1]
    return tuple(words)


def are_alike(one: str, other: str) -> bool:
    """Whether two full names may be one person: a given name and surname agree ("A. Brel", "Ana Brel")."""
    mine, theirs = person_words(one), person_words(other)
    if sorted(mine) == sorted(theirs):
        return True
    return mine[-1] == theirs[-1] and _given_names_agree(mine[0], theirs[0])


def _given_names_agree(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) == 1 and long.startswith(short)) or _full(short) == _full(long)


def _full(given: str) -> str:
    return FULL_FORMS.get(given, given)


def _is_first_and_last(entry: PooledName) -> bool:
    """Whether it ends in a surname: not "William the Rich", "Nawrahta of Kanni" or a list of names."""
    words = person_words(entry.key)
    return len(words) > 1 and "," not in entry.name and not LINKS & set(words[1:])


def _same_generation(one: PooledName, other: PooledName) -> bool:
    """Whether two names of people agree in number and generation, and in nothing that both have differ."""
    mine, theirs = one.marks, other.marks
    equal = all(mine.get(axis) == theirs.get(axis) for axis in (NUMBERS, "generation", "order"))
    return equal and not conflict(mine, theirs)


def _bond_titled_names(people: Sequence[PooledName]) -> Iterator[Bond]:
    """A titled name of two words or more, and the same without the title."""
    plain = by_key((entry for entry in people if entry.key.split()[0] not in TITLES), lambda one: [one.key])
    for entry in people:
        words = entry.key.split()
        rest = _behind_titles(words)
        if len(rest) > 1 and len(rest) < len(words):
            for other in plain.get(" ".join(rest), ()):
                title = " ".join(words[: -len(rest)])
                yield bond((entry, other), TITLE_SCORE, f'the same name with the title "{title}"')


def _behind_titles(words: Sequence[str]) -> Sequence[str]:
    start = 0
    while start < len(words) - 1 and words[start] in TITLES:
        start += 1
    return words[start:]


def _middle_names(groups: NameGroups, full: Sequence[PooledName]) -> tuple[list[Bond], list[SplitGroup]]:
    """Two names with the same ends, one with more in the middle, if the corpus has no third way.

    Namesakes are told apart by their middle names, so where two of them don't agree ("George W.",
    "George H. W."), the short name stands for neither. Names whose articles have nothing in common are
    rather namesakes, too.
    """
    bonds, namesakes = [], []
    beside = _telling_groups(groups)
    for bucket in by_key(full, lambda one: [_ends(one)]).values():
        middles = {person_words(entry.key)[1:-1] for entry in bucket}
        if len(middles) < 2 or not all(_middles_agree(a, b) for a in middles for b in middles):
            continue
        longest = max(bucket, key=lambda one: (len(one.key), one.name))
        for entry in bucket:
            if groups.group_of(entry) == groups.group_of(longest) or not _same_generation(entry, longest):
                continue
            if _have_context(groups, beside, entry, longest):
                evidence = f'only "{longest.name}" has the first and last name of "{entry.name}"'
                bonds.append(bond((entry, longest), MIDDLE_NAME_SCORE, evidence))
            else:
                both = sorted((entry.name, longest.name))
                namesakes.append(SplitGroup(tuple(both), tuple((name,) for name in both), NAMESAKES))
    return bonds, namesakes


def _telling_groups(groups: NameGroups) -> Mapping[str, set[int]]:
    """By article the groups of what two articles about one affair both name: not mere places and peoples."""
    beside: defaultdict[str, set[int]] = defaultdict(set)
    for entry in groups.pool.values():
        whole = entry.type != "PERSON" or len(person_words(entry.key)) > 1
        if entry.type in _TELLING and whole:
            for article in entry.articles:
                beside[article].add(groups.group_of(entry))
    return beside


def _have_context(
    groups: NameGroups, beside: Mapping[str, set[int]], one: PooledName, other: PooledName
) -> bool:
    """Whether an article has both, or an article of the one and one of the other name a third in common."""
    mine, theirs = (groups.articles[groups.group_of(entry)] for entry in (one, other))
    if mine & theirs:
        return True
    here, there = (set[int]().union(*(beside[article] for article in each)) for each in (mine, theirs))
    return bool((here & there) - {groups.group_of(one), groups.group_of(other)})


def _ends(entry: PooledName) -> str:
    words = person_words(entry.key)
    return f"{words[0]} {words[-1]}"


def _middles_agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the shorter runs through the longer, an initial standing for a name."""
    short, long = sorted((one, other), key=len)
    remaining = iter(long)
    return all(any(_given_names_agree(word, name) for name in remaining) for word in short)


def _short_forms(groups: NameGroups, full: Sequence[PooledName]) -> Iterator[Bond]:
    """A given name's short form or initial, beside the only full name that it fits, in every article."""
    by_surname = by_key(full, lambda one: [person_words(one.key)[-1]])
    for entry in full:
        words = person_words(entry.key)
        if len(words) != 2 or (len(words[0]) > 1 and words[0] not in FULL_FORMS):
            continue
        others = [one for one in by_surname[words[-1]] if groups.group_of(one) != groups.group_of(entry)]
        longer = [one for one in others if _is_long_for(person_words(one.key)[0], words[0])]
        found = only_partner(groups, [entry], longer, everywhere=True)
        if found and _same_generation(entry, found):
            evidence = f'short for "{found.name}", which its articles name'
            yield bond((entry, found), SHORT_FORM_SCORE, evidence)


def _is_long_for(given: str, short: str) -> bool:
    return len(given) > len(short) and _given_names_agree(given, short)


def _surnames(groups: NameGroups, full: Sequence[PooledName]) -> Iterator[Bond]:
    """A lone surname, with or without a title, and the only person whom all its articles name in full."""
    by_surname = by_key(full, lambda one: [person_words(one.key)[-1]])
    lone = by_key(
        (one for one in groups.pool.values() if _could_be_a_surname(one)),
        lambda one: [person_words(one.key)[-1]],
    )
    for surname, entries in lone.items():
        untitled = {groups.group_of(one) for one in entries if one.key == surname}
        if len(untitled) > 1:
            continue  # "Mr Brel" and "Mrs Brel" were told apart
        for entry in entries:
            bearers = by_surname.get(surname, ())
            found = only_partner(groups, [entry], bearers, everywhere=True)
            score, evidence = SURNAME_SCORE, "in the articles that have it"
            if not found:
                found, score, evidence = _prominent(groups, entry, bearers), PROMINENT_SCORE, "in any article"
            if not found or groups.group_of(found) == groups.group_of(entry):
                continue
            if _same_generation(entry, found) and _honorific_fits(entry, found):
                said = f'"{found.name}" is the only {surname.title()} {evidence}'
                yield bond((entry, found), score, said)


def _prominent(groups: NameGroups, entry: PooledName, bearers: Sequence[PooledName]) -> PooledName | None:
    """The only bearer of a surname in the corpus, if the name is a person's and the bearer is well known."""
    numbers = {groups.group_of(one) for one in bearers}
    if len(numbers) != 1 or entry.type != "PERSON":
        return None
    (number,) = numbers
    in_full = frozenset().union(*(one.articles for one in bearers))
    if len(in_full) < PROMINENT_ARTICLES:
        return None
    return min(
        (one for one in bearers if groups.group_of(one) == number), key=lambda one: (-one.count, one.name)
    )


def _honorific_fits(short: PooledName, full: PooledName) -> bool:
    """Whether "Mrs Brel" may be Ana Brel: not where the given name is a man's."""
    addressed = gender_of_honorific(short.name)
    given = genders().get(person_words(full.key)[0].title(), addressed)
    return not addressed or given == addressed


def _could_be_a_surname(entry: PooledName) -> bool:
    """Whether it is one word behind titles; a name of unknown type needs a capital."""
    one_word = len(person_words(entry.key)) == 1
    titled = one_word and " " in entry.key
    named = entry.type == "PERSON" or (entry.type in VAGUE_TYPES and entry.name[:1].isupper())
    return one_word and (named or (titled and entry.type == "ORG"))
