"""Two people who share a name are no hop: a chain through them would lead from one to the other.

Names that are equal join the articles that mention them, which is right for "Helena Brandvold" and wrong for
"John I", of whom there are dozens. A name is shared by several where it is only a given name, with a title or
a number or neither; and whoever was born in two years, or died in two, is more than one person. Of places
the articles tell by the countries that they name: "Jalandhar, Punjab" of an Indian is not in Pakistan.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import combinations

from kg.model import REGION_TYPES
from kg.queries import query
from kg.resolve.normal_form import gender_of_honorific
from kg.store.graph import Graph
from kg.text.lexicon import HONORIFICS, countries, genders, sovereign, states, towns
from services.questions.draft import Draft, Fact, Stop
from services.questions.kinds.known_facts import names_apart
from services.questions.soundness import doubts_about_name, is_half_a_name
from services.questions.wording.chain import KINDS_OF_WORKS

_YEAR = re.compile(r"\b\d{4}\b")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b")
_NUMERAL = re.compile(r"[IVX]+")
_NOBLE = frozenset(
    {"king", "queen", "prince", "princess", "emperor", "empress", "duke", "duchess", "pope", "count"}
)

_MOST_PATTERNS = 4_096
"""Names whose expressions stay compiled: a corpus draws the same ones thousands of times."""

_TWICE = {
    "person": "was born, or died, in two years: it may be two people",
    "work": "has two makers, or came out in two years, or is two kinds of work: it may be two works",
}
_MADE_ONCE = (
    "was directed by",
    "is directed by",
    "was written and directed by",
    "was directed and produced by",
    "was produced and directed by",
    "was painted by",
    "was composed by",
    "was released in",
    "was released on",
    "premiered in",
    "premiered on",
)


Lands = Mapping[str, frozenset[str]]
"""Which countries articles name, by the article's id."""


@dataclass(frozen=True, slots=True)
class Namesakes:
    """What a corpus shows to be more than one thing of one name.

    `mixed` are the ids of people with two years of birth or of death, and of works with two makers or two
    years; `places` those of places that facts put into two countries, or into two states. `titles` are names
    by the id of an article that its title tells from another: "Ada Greer (politician)" beside "Ada Greer".
    """

    mixed: Collection[str] = ()
    places: Collection[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)


def read_namesakes(graph: Graph, corpus: str) -> Namesakes:
    """What of a whole corpus is more than one; three readings, whatever the number of questions."""
    mixed = _people_of_two_lives(graph, corpus) | _works_of_two_makers(graph, corpus)
    rows = graph.rows(query("articles/list_articles"), corpus=corpus)
    titles = shared_titles({row["id"]: row["title"] for row in rows})
    return Namesakes(mixed, _places_of_two_lands(graph, corpus), titles)


def _places_of_two_lands(graph: Graph, corpus: str) -> frozenset[str]:
    outer: defaultdict[str, set[str]] = defaultdict(set)
    for row in graph.rows(query("entities/list_outer_places"), corpus=corpus):
        outer[row["id"]].add(row["outer"])
    return frozenset(
        id_
        for id_, names in outer.items()
        if len({_realm(name) for name in names} - {""}) > 1 or len(names & (states() - sovereign())) > 1
    )


def _works_of_two_makers(graph: Graph, corpus: str) -> frozenset[str]:
    """Works to which two articles give makers, or years, that have nothing in common."""
    told: defaultdict[tuple[str, bool], defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in graph.rows(query("entities/list_makers"), corpus=corpus, predicates=list(_MADE_ONCE)):
        year = _YEAR.search(row["value"]) if row["is_date"] else None
        if year is not None or not row["is_date"]:
            told[row["id"], row["is_date"]][row["article"]].add(year[0] if year else row["value"])
    return frozenset(
        id_
        for (id_, _), by_article in told.items()
        if any(one.isdisjoint(other) for one, other in combinations(by_article.values(), 2))
    )


def _people_of_two_lives(graph: Graph, corpus: str) -> frozenset[str]:
    years: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for row in graph.rows(query("entities/list_life_dates"), corpus=corpus):
        found = _YEAR.search(row["date"] or "")
        if found is not None:
            years[row["id"], row["event"]].add(found[0])
    return frozenset(id_ for (id_, _), told in years.items() if len(told) > 1)


def leads_to_a_namesake(draft: Draft, namesakes: Namesakes, lands: Lands) -> str:
    """Why a chain may go from one person, work or place to another of its name, "" where it doesn't.

    A name that many bear may end a chain, and join two facts of one article; it may not begin one, nor join
    two articles. An article whose title tells its subject from a namesake says nothing of the other's. Where
    an article puts a place into a country, the one that it is joined to must name that country, unless it
    names none, or news knows the name as that of a large town; a place to which the corpus gives two must be
    named with one of them always.
    """
    reasons = (
        two_of_a_name(stop, draft.facts[max(0, at - 1) : at + 1], namesakes.mixed)
        or (_another_person(draft, at) if stop.type == "PERSON" else _another_thing(draft, at))
        or _another_article(draft, at, namesakes)
        or _another_place(draft, at, namesakes, lands)
        or _of_one_state(draft, at)
        for at, stop in enumerate(draft.stops)
    )
    return next(filter(None, reasons), "") or _comes_back(draft)


def _of_one_state(draft: Draft, at: int) -> str:
    """The town of a state by which a chain may go to another of its name: "Ely, Ohio" beside Ely."""
    stop, beside = draft.stops[at], draft.facts[max(0, at - 1) : at + 1]
    if stop.type not in REGION_TYPES | {"ORG"} or len(beside) < 2 or beside[0].article == beside[1].article:
        return ""
    for one, other in (beside, beside[::-1]):
        told = re.search(rf"(?<!\w){re.escape(stop.name)}, ([A-Z]\w+(?: [A-Z]\w+)?)", one.sentence)
        state = told[1] if told else ""
        if (
            state in states() - sovereign()
            and state not in {one.object, other.subject, other.object}
            and state not in other.sentence
        ):
            return f'"{stop.name}" is told of {state}, and may be another elsewhere'
    return ""


def _comes_back(draft: Draft) -> str:
    """The body to which a chain may lead back by another name ("EPP Group", and its full name)."""
    bodies = [(at, stop) for at, stop in enumerate(draft.stops) if stop.type in {"ORG", "NORP"}]
    pairs = ((one, other) for at, one in bodies for to, other in bodies if to > at + 1)
    return next(
        (f"{a.name} and {b.name} may be one" for a, b in pairs if not names_apart(a.names, b.names)), ""
    )


def _another_person(draft: Draft, at: int) -> str:
    stop = draft.stops[at]
    if short := _half_named(draft, at):
        return f'"{short}" is half a name, and may be another than {stop.name}'
    told = [fact.object if fact.reversed else fact.subject for fact in draft.facts[at : at + 1]]
    told += [fact.subject if fact.reversed else fact.object for fact in draft.facts[max(0, at - 1) : at]]
    if her := _of_both_genders((*stop.names, *told)):
        return f'"{her}" may be another than {stop.name}'
    half = at in {0, len(draft.facts)} and is_half_a_name(stop.name)
    of_many = (at == 0 or _joins_articles(draft, at)) and is_of_many_people(stop)
    return _no_person(stop.name, half, of_many)


def _of_both_genders(names: Collection[str]) -> str:
    """The name with a woman's title where another is a man's: "Baroness Pell" of "Otto Pell"; or reversed."""
    given = {genders().get(name.partition(" ")[0]) for name in names} - {None}
    titled = ((name, gender_of_honorific(name)) for name in names)
    return next((name for name, gender in titled if gender and given and gender not in given), "")


def no_whole_name(draft: Draft) -> str:
    """Why a question that follows no path is about half a name, or one that many people bear; else empty.

    Such a question names what it is about, or asks for it: what holds for the ends of a chain holds for all.
    """
    people = (
        _no_person(stop.name, is_half_a_name(stop.name), is_of_many_people(stop))
        for stop in draft.stops
        if stop.type == "PERSON"
    )
    types = {name: stop.type for stop in draft.stops for name in stop.names}
    parts = (
        doubt
        for fact in draft.facts
        for name in (fact.subject, fact.object)
        if name in types
        for doubt in doubts_about_name(name, types[name], fact.statement or fact.sentence)
    )
    return next(filter(None, (*people, *parts)), "")


def _no_person(name: str, half: bool, of_many: bool) -> str:
    if half:
        return f'"{name}" is half a name'
    return f'"{name}" is the name of many people' if of_many else ""


def _another_thing(draft: Draft, at: int) -> str:
    other = _of_many_countries(draft, at) or _of_another_place(draft, at)
    return f'"{other}" may be another than that of "{draft.stops[at].name}"' if other else ""


def _another_article(draft: Draft, at: int, namesakes: Namesakes) -> str:
    stop = draft.stops[at]
    sides = {fact.article for fact in draft.facts[max(0, at - 1) : at + 1]}
    parted = len(sides) > 1 and any(namesakes.titles.get(one, "") in stop.names for one in sides)
    return f'"{stop.name}" is the name of two articles' if parted else ""


def _another_place(draft: Draft, at: int, namesakes: Namesakes, lands: Lands) -> str:
    stop = draft.stops[at]
    if stop.type not in REGION_TYPES or stop.name in sovereign() or not _joins_articles(draft, at):
        return ""
    elsewhere = _lies_elsewhere(draft, at, namesakes.places, lands)
    return f'"{stop.name}" may be two places of one name' if elsewhere else ""


def two_of_a_name(stop: Stop, facts: Sequence[Fact], mixed: Collection[str]) -> str:
    """Why somebody or a work may be two, by what facts state of it or for being `mixed`; else empty."""
    person = stop.type == "PERSON"
    told = [fact.statement or fact.sentence for fact in facts]
    twice = _deaths(stop, told) if person else _kinds(stop, told)
    several = stop.id in mixed or len(twice) > 1
    return f'"{stop.name}" {_TWICE["person" if person else "work"]}' if several else ""


def _deaths(stop: Stop, statements: Sequence[str]) -> set[str]:
    """The years in which somebody died by statements: "(1908-1960)" behind a name, "his death in 2008"."""
    said = _death_of(stop.name.rsplit(maxsplit=1)[-1])
    return {one or other for text in statements for one, other in said.findall(text)}


@lru_cache(maxsize=_MOST_PATTERNS)
def _death_of(last_name: str) -> re.Pattern[str]:
    return re.compile(
        rf"{re.escape(last_name)} ?\([^)]*\d{{4}}[^)]*[\u2013-][^)]*(\d{{4}})\)|"
        r"\b(?:his|her) death (?:in|on)[^.;()]*?(\d{4})"
    )


_KIND = re.compile(rf"\b(?:{KINDS_OF_WORKS})\b")


def _kinds(stop: Stop, statements: Sequence[str]) -> set[str]:
    """What kinds of work statements call one: "the film Tarn", "Tarn is a 1961 novel"."""
    found = set[str]()
    tell = [text for text in statements if _KIND.search(text)]
    for name, text in ((name, text) for name in stop.names for text in tell if name in text):
        found |= {_SAME_KIND.get(kind, kind) for said in _kind_of(name) for kind in said.findall(text)}
    return found


@lru_cache(maxsize=_MOST_PATTERNS)
def _kind_of(work: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    name = re.escape(work)
    return (
        re.compile(rf"\b({KINDS_OF_WORKS}),? [\"\u201c]?{name}(?!\w)"),
        re.compile(
            rf"(?<!\w){name}[\"\u201d]?(?: ?\([^)]*\))? (?:is|was) (?:an?|the) [^,.;]*?\b({KINDS_OF_WORKS})\b"
        ),
    )


_SAME_KIND = {
    "movie": "film",
    "documentary": "film",
    "single": "song",
    "book": "novel",
    "video game": "game",
    "opera": "series",
    "musical": "play",
}
"""Kinds that one work may be called by turns; a "soap opera" is a series."""
_CHAMBERS = re.compile(
    r"(?:the )?(?:house of \w+|senate|congress|parliament|national assembly|general assembly|supreme court|"
    r"high court|constitutional court|legislative council|cabinet|"
    r"(?:department|ministry) of \w+|(?:[\w.]+ )?embassy|"
    r"(?:liberal|socialist|social democratic|green|communist|people's|nationalist) party)",
    re.IGNORECASE,
)


def _of_many_countries(draft: Draft, at: int) -> str:
    """A chamber, court or party that names no country, and that begins a chain or joins two articles."""
    stop = draft.stops[at]
    facts = draft.facts[max(0, at - 1) : at + 1]
    called = {name for fact in facts for name in (fact.subject, fact.object)} | {stop.name}
    bare = next((name for name in sorted(called) if name in stop.names and _CHAMBERS.fullmatch(name)), "")
    return bare if at == 0 or len({fact.article for fact in facts}) > 1 else ""


def _of_another_place(draft: Draft, at: int) -> str:
    """A name of a stop with a place before it that another name of it lacks: "Maryland Democratic Party"."""
    stop = draft.stops[at]
    sides = enumerate(draft.facts[max(0, at - 1) : at + 1], start=max(0, at - 1))
    called = [fact.object if (at == place + 1) != fact.reversed else fact.subject for place, fact in sides]
    places = {name: _place_before(name) for name in dict.fromkeys((stop.name, *called))}
    return next((name for name, place in places.items() if place and set(places.values()) != {place}), "")


def _place_before(name: str) -> str:
    first = name.split(maxsplit=1)[0] if " " in name else ""
    return first if first in states() or (len(first) > 4 and first in countries()) else ""


def _half_named(draft: Draft, at: int) -> str:
    """Half a name by which a fact calls a person whom no other fact of its article joins to the chain."""
    facts = [
        (fact, (at == place + 1) != fact.reversed)
        for place, fact in enumerate(draft.facts)
        if at in {place, place + 1}
    ]
    names = [fact.object if is_object else fact.subject for fact, is_object in facts]
    half = next(filter(is_half_a_name, names), "")
    return half if len({fact.article for fact, _ in facts}) > 1 or len(facts) < 2 else ""


_ONE_REALM = {
    "England": "United Kingdom",
    "Scotland": "United Kingdom",
    "Wales": "United Kingdom",
    "Soviet Union": "Russia",
    "Korea": "South Korea",
    "Czechoslovakia": "Czech Republic",
}
"""Countries that stand for one another where only this matters, whether two are apart."""
_QUALIFIED = re.compile(r"(.+) \([^()]+\)")
"""A title that an encyclopedia gives to the second of a name."""
_NAME = r"[A-Z][\w.\u2019'-]*(?: [A-Z][\w.\u2019'-]*)*"


def shared_titles(titles: Mapping[str, str]) -> dict[str, str]:
    """The name of each article, by id, whose title tells it from another: "Ada Greer (politician)"."""
    parted = {id_: _QUALIFIED.fullmatch(title) for id_, title in titles.items()}
    names = {id_: found[1] if found else titles[id_] for id_, found in parted.items()}
    often = Counter(names.values())
    return {id_: name for id_, name in names.items() if parted[id_] and often[name] > 1}


def read_lands(graph: Graph, drafts: Sequence[Draft]) -> Lands:
    """The countries that the articles of drafts name, as far as places join two of them."""
    articles = {
        fact.article
        for draft in drafts
        for at, stop in enumerate(draft.stops)
        if stop.type in REGION_TYPES and _joins_articles(draft, at)
        for fact in draft.facts[at - 1 : at + 1]
    }
    rows = graph.read_in_batches(query("articles/read_bodies"), sorted(articles))
    return {row["id"]: lands_in(row["body"]) for row in rows}


def lands_in(text: str) -> frozenset[str]:
    """The countries that a text names, by their names or adjectives."""
    return frozenset(_realm(found[0]) for found in _of_countries().finditer(text))


def _lies_elsewhere(draft: Draft, at: int, doubtful: Collection[str], lands: Lands) -> bool:
    stop, sides = draft.stops[at], draft.facts[at - 1 : at + 1]
    within = [{one for fact in sides[place : place + 1] for one in _outer(stop, fact)} for place in (0, 1)]
    realms = [{_realm(name) for name in names} - {""} for names in within]
    inner = [names & (states() - sovereign()) for names in within]
    if any(one and other and one.isdisjoint(other) for one, other in (realms, inner)):
        return True
    named = [lands.get(fact.article, frozenset()) for fact in sides]
    sure = stop.name in towns() and stop.id not in doubtful
    for own, others in ((realms[0], named[1]), (realms[1], named[0])):
        if own and own.isdisjoint(others) and not sure and (others or stop.id in doubtful):
            return True
    return not any(realms) and not sure and all(named) and named[0].isdisjoint(named[1])


def _outer(stop: Stop, fact: Fact) -> set[str]:
    """What a fact and its statement put a place into: "Ely, Norfolk", "Ely is located in England"."""
    told = fact.statement or fact.sentence
    names = "|".join(map(re.escape, stop.names))
    chain = re.findall(rf"(?<!\w)(?:{names})((?:(?:, | in ){_NAME})+)", told)
    parts = {part.rstrip(".") for one in chain for part in re.split(", | in ", one) if part}
    return parts | ({fact.object} if fact.subject in stop.names else set())


def _realm(name: str) -> str:
    """The country that a name or adjective stands for, "" for what is none."""
    country = name if name in sovereign() else countries().get(name, "")
    return _ONE_REALM.get(country, country)


@cache
def _of_countries() -> re.Pattern[str]:
    known = "|".join(map(re.escape, sorted({*countries(), *sovereign()}, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{known})(?!\w)")


def is_of_many_people(stop: Stop) -> bool:
    """Whether somebody has no surname: given names, with a title or a number, or never more than one word."""
    short = all(" " not in name or _ORDINAL.match(name) for name in stop.names)
    return short or any(_is_regnal(name, stop.names) for name in stop.names)


def joins_a_shared_name(draft: Draft) -> bool:
    """Whether two articles join at the name of somebody who has no surname ("Dracula", "John I")."""
    return any(
        stop.type == "PERSON" and _joins_articles(draft, at) and is_of_many_people(stop)
        for at, stop in enumerate(draft.stops)
    )


def _joins_articles(draft: Draft, at: int) -> bool:
    """Whether the facts before and behind the stop at a place are of two articles."""
    return 0 < at < len(draft.facts) and draft.facts[at - 1].article != draft.facts[at].article


def _is_regnal(name: str, names: Collection[str]) -> bool:
    """ "John I", "Princess Sophie", "Frederick William": given names, with a number or a title of nobles.

    Whoever is called by the last word alone as well has a surname: "Howard" of "John Howard".
    """
    words = name.split()
    titled = len(words) > 1 and words[0].lower() in _NOBLE
    rest = [word for word in words[titled:] if word.rstrip(".") not in HONORIFICS]
    numbered = len(rest) > 1 and _NUMERAL.fullmatch(rest[-1]) is not None
    given = len(rest) > 1 and rest[-1] not in names and all(word in genders() for word in rest)
    return given or ((titled or numbered) and len(rest) - numbered == 1)
