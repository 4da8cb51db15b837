"""How well a path can be asked about, told by names, predicates and counts alone, without a model.

A model that was given paths as they come made a question of one in eighty. What it refused and what its
questions fell at has marks that the graph shows. Circles and aliases are never drawn (`kg.paths.choose`),
and no path starts at, or goes through, a name that only its context knows (`context_names`). Nor is a path
drawn that leaves nothing to ask about (`Quality.askable`):

    end          a whole people; a date or number whose predicate does not go by one ("made report of")
    arc          behind the first, a predicate with a word that only the name of what it leaves has ("Tarn
                 strike" was called a strike by, where no other name has a strike): the steps before it are
                 not needed

Each other mark is a fault, weighed by how often it was fatal:

    start, end   a name that is a description ("state party"; less so "Japanese man"), one that every country
                 has ("National Congress"), a first name alone, a people, the articles' own publisher; a
                 time that is no date
    inside       a description, the publisher
    arc          a predicate that says nothing ("is for"), that a date only goes by ("had members as of"), or
                 that leads to several ends from its start ("appeared in" Thailand, Japan); two ends that
                 share a name; two places of which one lies in the other
    path         a predicate behind the first that has a word of what it leaves, if other names have that word
                 too; two stops further apart that share a word of a name; an article that tells of all its
                 steps, so that one passage answers it; a last fact about what much of the corpus is about, or
                 whose end others have as well, or on where a place is, which models know by heart

The draw takes paths of few faults first (`kg.paths.spread`). None of these faults is forbidden: a small graph
still fills.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kg.extract.dates import MONTH
from kg.model import REGION_TYPES
from kg.paths.choose import Clashes, Words, find_clashes, name_runs
from kg.paths.protocol import Arc, Leaving, PathEngine, Web
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from kg.text.words import head_noun

FATAL, GRAVE, SLIGHT = 3, 2, 1
"""What a fault weighs: no question came of such a path, of few, of half."""
GRADES = (0, 1, 2, 4, 8)
"""Weights of all faults together up to which paths are preferred, the best grade first."""
PROMINENT_SHARE, PROMINENT_EDGES = 50, 12
"""An entity is prominent that one of so many edges begins or ends at, and no fewer than so many edges."""
MOST_ENDS = 1
"""Ends to which a predicate may lead from one start and still single one out."""

_HOST = re.compile(
    r"(?:https?://)?(?:[\w-]+\.)*?(?P<label>[\w-]+)\.(?:(?:co|com|org|net|ac|gov)\.)?[a-z]{2,}/?.*"
)

_SAYS_NOTHING = frozenset({
    "is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "does", "did", "do", "a", "an",
    "the", "of", "for", "as", "with", "about", "regarding", "in", "to", "context", "case", "terms",
    "relation", "connection", "related", "associated", "involved", "involves", "includes", "include",
})  # fmt: skip
_PLACES = frozenset({"is in", "are in", "was in", "were in"})
"""The exception: to be in a place says where."""
_OFFICES = frozenset({
    "national", "federal", "state", "supreme", "general", "central", "local", "regional", "public", "royal",
    "congress", "convention", "senate", "parliament", "assembly", "government", "council", "committee",
    "ministry", "department", "court", "house", "cabinet", "commission", "office", "agency", "authority",
    "police", "army", "navy", "party", "association", "and", "of",
})  # fmt: skip
_PARTS = frozenset(
    {"department", "ministry", "office", "faculty", "school", "division", "institute", "bureau"}
)
_TIME = frozenset({"on", "in", "at", "since", "until", "from"})
_NO_TIME = frozenset(
    {"of", "by", "to", "for", "with", "about", "before", "after", "within", "next", "roughly"}
)
_DAY = re.compile(rf"\d{{1,2}} (?:{MONTH}) \d{{4}}|(?:{MONTH}) \d{{1,2}},? \d{{4}}|\d{{4}}-\d{{2}}-\d{{2}}")
_MONTH_OR_YEAR = re.compile(rf"(?:(?:{MONTH}) )?\d{{4}}")
_HOLDS_PLACES = re.compile(
    r"(?:(?:is|are|was|were) )?(?:(?:located|situated|lies|sits|stands|\w+) )?(?:in|within|inside|of)"
)
"""Predicates between two places of which one lies in the other: "is in", "lies within", "is state of"."""
_SHARED_BY_MANY = frozenset({
    "the", "and", "for", "new", "north", "south", "east", "west", "united", "national", "world", "first",
})  # fmt: skip


ContextReason = Literal["part", "description", "single word", "mirrored"]


class Partner(NamedTuple):
    """A contextual equivalent of an entity."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class EntityNames:
    """A named entity: its type, its other names, and its contextual equivalents.

    `mirrored_only`: every edge that a path may take to it or from it is mirrored.
    """

    id: str
    name: str
    type: str
    aliases: Sequence[str] = ()
    partners: Sequence[Partner] = ()
    mirrored_only: bool = False


@dataclass(frozen=True, slots=True)
class CorpusNames:
    """What a draw needs of the names of a corpus, by the ids of entities.

    `context` are those whose names only context knows, `aliases` the other names that entities have,
    `equivalents` their contextual equivalents, `publishers` the normal forms of the articles' sources.
    """

    context: Collection[str] = frozenset()
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    equivalents: Mapping[str, Sequence[str]] = field(default_factory=dict)
    publishers: Collection[str] = frozenset()


def read_corpus_names(graph: Graph, corpus: str) -> CorpusNames:
    """The names of the entities of a corpus, as far as a draw needs them."""
    rows = graph.rows(query("entities/read_other_names"), corpus=corpus)
    entities = [
        EntityNames(**row | {"partners": [Partner(**partner) for partner in row["partners"]]}) for row in rows
    ]
    return CorpusNames(
        frozenset(context_names(entities)),
        {entity.id: entity.aliases for entity in entities if entity.aliases},
        {entity.id: [partner.id for partner in entity.partners] for entity in entities if entity.partners},
        read_publishers(graph, corpus),
    )


def read_publishers(graph: Graph, corpus: str) -> frozenset[str]:
    """The normal forms of the names that the sources of a corpus' articles go by.

    A source that is the host of a site goes by its main label as well: "en.wikinews.org" is Wikinews.
    """
    shelves = graph.rows(query("search/list_shelves"), corpus=corpus)
    sources = {row["source"] for row in shelves if row["source"]}
    hosts = (_HOST.fullmatch(source.strip().lower()) for source in sources)
    return frozenset(map(normal_form, (*sources, *(host["label"] for host in hosts if host))))


def context_names(entities: Iterable[EntityNames]) -> dict[str, ContextReason]:
    """The entities whose names only context knows by id, each with the first reason.

    "Tolland" in "Ana is the daughter of Tolland" is an entity of its own, which its cluster links to Mira
    Tolland; all that is said of Mira Tolland there is mirrored to it. "The club whose captain is Tolland"
    asks a reader for what only one article tells. A name stands for itself unless one of these holds:

        part          a contextual equivalent has a longer name that holds it: "Tolland", "Mira Tolland"
        description   it has no capital letter, and context links it to something: "airstrike"
        single word   it is one word, the first or last of a longer name of a person: "Brel", of Ana or of Jon
        mirrored      nothing that a path may take is said of it by this name; all its edges are mirrored

    Nothing is lost without these: what is said through "Tolland", its mirror says through Mira Tolland.
    """
    named = [(entity, tuple(normal_form(entity.name).split())) for entity in entities]
    people_words = {
        word for entity, words in named if entity.type == "PERSON" and len(words) > 1
        for word in (words[0], words[-1])
    }  # fmt: skip
    found: dict[str, ContextReason] = {}
    for entity, words in named:
        if any(_holds(tuple(normal_form(partner.name).split()), words) for partner in entity.partners):
            found[entity.id] = "part"
        elif entity.partners and entity.name.islower():
            found[entity.id] = "description"
        elif entity.type == "PERSON" and len(words) == 1 and words[0] in people_words:
            found[entity.id] = "single word"
        elif entity.mirrored_only:
            found[entity.id] = "mirrored"
    return found


def _holds(longer: Sequence[str], shorter: Sequence[str]) -> bool:
    """Whether the words of a name stand in a longer one, one after the other."""
    size = len(shorter)
    return 0 < size < len(longer) and any(
        longer[first : first + size] == shorter for first in range(len(longer) - size + 1)
    )


@dataclass(frozen=True, slots=True)
class Stopping:
    """What is wrong with an entity as the start, as the end of a path and inside it, by weight.

    `words` are those by which another name may give its name away, `runs` all its names as words.
    `askable` tells whether a path may end there at all.
    """

    start: int
    end: int
    inside: int
    words: frozenset[str]
    runs: frozenset[Words] = frozenset()
    askable: bool = True


class SeveralEnds(NamedTuple):
    """How arcs leave a tail that lead from there to more than one end, and how they are left backwards."""

    forwards: Collection[Leaving] = frozenset()
    backwards: Collection[Leaving] = frozenset()


@dataclass(slots=True)
class Quality:
    """Weighs the paths of an engine; what is known of an entity or a predicate is found once."""

    engine: PathEngine
    names: CorpusNames = field(default_factory=CorpusNames)
    _stops: dict[int, Stopping] = field(default_factory=dict)
    _places: Mapping[str, int] | None = None
    _prominent: frozenset[int] | None = None
    _names_with: Counter[str] | None = None

    def stop(self, entity: int) -> Stopping:
        """The faults of an entity by its number."""
        found = self._stops.get(entity)
        if found is None:
            kind, _, name = self.engine.labels[entity].partition("\x1f")
            found = self._stops[entity] = stopping(
                name,
                self.engine.types[entity],
                self.names.aliases.get(self.engine.entities[entity], ()),
                literal=kind == "literal",
                publisher=normal_form(name) in self.names.publishers,
            )
        return found

    def clashes(self, web: Web) -> Clashes:
        """What makes a path of a web a circle."""
        stops = {arc.head for arcs in web for arc in arcs} | {arc.tail for arcs in web[:1] for arc in arcs}
        return find_clashes(
            web,
            {stop: self.stop(stop).runs for stop in stops},
            {stop: self._equivalents(stop) for stop in stops},
        )

    def _equivalents(self, entity: int) -> frozenset[int]:
        ids = self.names.equivalents.get(self.engine.entities[entity], ())
        if not ids:
            return frozenset()
        if self._places is None:
            self._places = {id_: number for number, id_ in enumerate(self.engine.entities)}
        return frozenset(self._places[id_] for id_ in ids if id_ in self._places)

    def askable(self, web: Web) -> Web:
        """A web without the arcs that leave nothing to ask about, whatever the other steps are."""
        last = len(web) - 1
        return tuple(
            tuple(
                arc
                for arc in arcs
                if not ((step == last and not self._may_end(arc)) or (step > 0 and self._singles_out(arc)))
            )
            for step, arcs in enumerate(web)
        )

    def _may_end(self, arc: Arc) -> bool:
        return self.stop(arc.head).askable and (not self._is_literal(arc.head) or dates(arc.predicate))

    def of_ends(self, start: int, end: int) -> int:
        """What is wrong with a pair before any path of it is known."""
        one, other = self.stop(start), self.stop(end)
        return one.start + other.end + FATAL * bool(one.words & other.words)

    def several_ends(self, webs: Sequence[Web]) -> SeveralEnds:
        """How arcs of some webs lead from their tails to more than one end, and so do last arcs backwards."""
        forwards = {arc.leaving for web in webs for arcs in web for arc in arcs}
        backwards = {arc.arriving for web in webs for arcs in web[-1:] for arc in arcs}
        return SeveralEnds(
            self._leading_to_several(forwards), self._leading_to_several(backwards, backwards=True)
        )

    def _leading_to_several(self, found: Iterable[Leaving], *, backwards: bool = False) -> frozenset[Leaving]:
        asked = sorted(found)
        counts = self.engine.count_ends(asked, backwards=backwards)
        return frozenset(one for one, count in zip(asked, counts, strict=True) if count > MOST_ENDS)

    def of_arc(self, arc: Arc, several: SeveralEnds) -> int:
        """What is wrong with an arc by itself."""
        tail, head = self.stop(arc.tail), self.stop(arc.head)
        return (
            GRAVE * says_nothing(arc.predicate)
            + GRAVE * (arc.leaving in several.forwards)
            + GRAVE * self._is_of_places(arc)
            + SLIGHT * bool(tail.words & head.words)
        )

    def of_path(self, arcs: Sequence[Arc], web: Web, several: SeveralEnds) -> int:
        """What is wrong with a path of a web, all in all."""
        stops = [arcs[0].tail, *(arc.head for arc in arcs)]
        words = [self.stop(stop).words for stop in stops]
        apart = sum(
            bool(words[one] & words[other])
            for one in range(len(stops))
            for other in range(one + 2, len(stops))
            if (one, other) != (0, len(stops) - 1)
        )
        last = arcs[-1]
        return (
            self.of_ends(stops[0], stops[-1])
            + sum(self.stop(stop).inside for stop in stops[1:-1])
            + sum(self.of_arc(arc, several) for arc in arcs)
            + GRAVE * sum(bool(self._words_in_predicate(arc)) for arc in arcs[1:])
            + GRAVE * apart
            + FATAL * _in_one_article(arcs, web)
            + SLIGHT * (last.arriving in several.backwards)
            + SLIGHT * (last.tail in self.prominent or last.predicate.casefold() in _PLACES)
        )

    def _is_literal(self, entity: int) -> bool:
        return self.engine.labels[entity].startswith("literal")

    def _words_in_predicate(self, arc: Arc) -> frozenset[str]:
        """The words of the entity that an arc leaves which stand in its predicate."""
        return name_words(arc.predicate) & self.stop(arc.tail).words

    def _singles_out(self, arc: Arc) -> bool:
        """Whether a predicate has a word that no other name has than that of the entity that it leaves."""
        told = self._words_in_predicate(arc)
        if told and self._names_with is None:
            names = (label.partition("\x1f")[2] for label in self.engine.labels)
            self._names_with = Counter(word for name in names for word in name_words(name))
        return self._names_with is not None and any(self._names_with[word] <= 1 for word in told)

    def _is_of_places(self, arc: Arc) -> bool:
        """Whether an arc says of two places that one lies in the other."""
        ends = {self.engine.types[arc.tail], self.engine.types[arc.head]}
        return ends <= REGION_TYPES and _HOLDS_PLACES.fullmatch(arc.predicate.casefold()) is not None

    @property
    def prominent(self) -> frozenset[int]:
        """The entities that much of the corpus is about."""
        if self._prominent is None:
            counts = self.engine.count_edges()
            least = max(PROMINENT_EDGES, sum(counts) // 2 // PROMINENT_SHARE)
            self._prominent = frozenset(at for at, count in enumerate(counts) if count >= least)
        return self._prominent


def _in_one_article(arcs: Sequence[Arc], web: Web) -> bool:
    """Whether an article has a fact for each step, that of the path or one beside it."""
    having = (
        {other.article for other in step if (other.tail, other.head) == (arc.tail, arc.head)}
        for arc, step in zip(arcs, web, strict=True)
    )
    return bool(set.intersection(*having))


def stopping(
    name: str, type_: str, aliases: Sequence[str] = (), *, literal: bool, publisher: bool = False
) -> Stopping:
    """What is wrong with a name at either end of a path and inside it."""
    runs = name_runs([name, *aliases])
    if literal:
        return Stopping(FATAL, _of_time(name) if type_ == "DATE" else 0, 0, frozenset(), runs)
    inside = max(_of_name(name), GRAVE * publisher)
    is_people, one_word = type_ == "NORP", type_ == "PERSON" and " " not in name.strip()
    words = frozenset(word for known in (name, *aliases) for word in name_words(known))
    start = max(inside, GRAVE * (_is_office(name) or one_word or is_people))
    return Stopping(start, inside, inside, words, runs, askable=not is_people)


def name_words(name: str) -> frozenset[str]:
    """The words of a name by which another name may give it away."""
    words = normal_form(name).split()
    return frozenset(word for word in words if len(word) > 2 and not word.isdigit()) - _SHARED_BY_MANY


def says_nothing(predicate: str) -> bool:
    """Whether a predicate is made of words that hold no relation."""
    words = predicate.casefold().split()
    return " ".join(words) not in _PLACES and all(word in _SAYS_NOTHING for word in words)


def dates(predicate: str) -> bool:
    """Whether a predicate says what was so on a day or by a number: "opened in", not "made report of".

    Two prepositions in a row, as in "refers to on", are what is left of another sentence.
    """
    *before, last = predicate.casefold().split() or [""]
    return last not in _NO_TIME and not (last in _TIME and before and before[-1] in _TIME | _NO_TIME)


def _of_name(name: str) -> int:
    if not any(map(_marks_a_name, name.split())):
        return FATAL
    head = head_noun(name.partition(",")[0].split())
    return GRAVE if head and not _marks_a_name(head) else 0


def _marks_a_name(word: str) -> bool:
    """Whether a word has a capital letter or ends with a number: "covid-19", but not "25-year-old"."""
    return word[-1:].isdigit() or any(letter.isupper() for letter in word)


def _is_office(name: str) -> bool:
    words = name.casefold().split()
    part_of = len(words) > 1 and words[0] in _PARTS and words[1] == "of"
    return part_of or all(word in _OFFICES for word in words)


def _of_time(name: str) -> int:
    if _DAY.fullmatch(name):
        return 0
    return SLIGHT if _MONTH_OR_YEAR.fullmatch(name) else FATAL
