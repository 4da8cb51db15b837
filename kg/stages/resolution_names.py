"""Names of a corpus become entities: which names are one thing, and what hangs on them moves there.

Where a model read the articles, a name may mean somebody in one and something else in others, or a work and
a place: "Virginia", an actress and a state. The fewer are an entity of their own, by the types that each
article gives.

Every triple and mention keeps the name that its article used, so that the entity which it should hang on can
be worked out anew at any time. Nothing is lost by a merge: the names live on as aliases with their evidence,
and names that were kept apart as split groups.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from kg.corpus import recall
from kg.extract.choose import extractor_option
from kg.ids import content_id, node_id
from kg.model import LITERAL_TYPES, PLACE_TYPES, EntityName, EntityType
from kg.queries import query
from kg.resolve.bonds import Bond, SplitGroup
from kg.resolve.closure import stated_aliases
from kg.resolve.exact import ExactMerges, merge_exact
from kg.resolve.name_pool import VAGUE_TYPES, NameVotes, PredicateSide, defined_kind, vote_types, voted_type
from kg.resolve.normal_form import normal_form
from kg.stages.extraction import entity_id, entity_row
from kg.store.graph import Graph, Row

BY_RULES = "rules-"
"""How the names of extractors by rules begin."""
_BEING = frozenset({"is", "was", "became"})

MOVES_A_BATCH = 200
"""Names moved in a transaction; one name may hang on thousands of chunks."""

Named = tuple[str, EntityType]


@dataclass(frozen=True, slots=True)
class CorpusTriple:
    """A triple of the corpus as an article states it: its names, and the ids of what it hangs on now.

    `claim`, `article`, `start` and `end` are ids; `attributed_to` is empty where nobody is quoted.
    """

    id: str
    claim: str
    article: str
    start: str
    end: str
    subject: str
    predicate: str
    object: str
    subject_type: EntityType
    object_type: EntityType
    negated: bool
    attributed_to: str
    extractor: str

    @property
    def ends(self) -> tuple[Named, Named]:
        """Subject and object, each with its type."""
        return (self.subject, self.subject_type), (self.object, self.object_type)


Use = tuple[str, EntityType, str, int, str]
"""A name, its type, the article (id), how often, and the form that the article has."""


@dataclass(slots=True)
class NameTable:
    """What is known of the names of a corpus before merging, by name.

    `other_sense` are the uses, by name and article, that mean another thing than most; they count for none
    of the rest.
    """

    count: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    types: dict[str, dict[EntityType, int]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(int))
    )
    articles: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    surfaces: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    other_sense: dict[tuple[str, str], EntityType] = field(default_factory=dict)
    voted: dict[str, EntityType] = field(default_factory=dict)

    def add(self, name: str, kind: EntityType, article: str, count: int, surface: str) -> None:
        """Add an article's use of a name."""
        self.count[name] += count
        self.types[name][kind] += count
        self.articles[name].add(article)
        self.surfaces[name].add(surface)

    def entity_names(self) -> list[EntityName]:
        """One row a name, under its voted type, or the commonest where no vote was held."""
        return [
            EntityName(
                name=name,
                type=self.voted[name]
                if name in self.voted
                else max(kinds, key=lambda kind: (kinds[kind], kind)),
                articles=frozenset(self.articles[name]),
                count=self.count[name],
                surfaces=frozenset(self.surfaces[name]),
            )
            for name, kinds in sorted(self.types.items())
        ]


@dataclass(frozen=True, slots=True)
class Merged:
    """Which entity every name stands for, the entities by id, and what was kept apart."""

    corpus: str
    entity_of: Mapping[str, str]
    entities: Mapping[str, Row]
    articles: Mapping[str, set[str]]
    aliases: Sequence[Row]
    split: Sequence[SplitGroup]
    other_sense: Mapping[tuple[str, str], str]

    def entity_for(self, name: str, kind: EntityType, article: str) -> str:
        """The id of the entity that an end of an article's triple hangs on."""
        if kind in LITERAL_TYPES:
            return entity_id(self.corpus, name, kind)
        return self.other_sense.get((name, article)) or self.entity_of[name]


def read_triples(graph: Graph, corpus: str) -> list[CorpusTriple]:
    """All triples of a corpus; a name, type or id that comes again is the same text in memory.

    A large corpus has some hundred thousand of them, which are held until they hang where they belong.
    """
    known: dict[str, str] = {}

    def same(text: str) -> str:
        return known.setdefault(text, text)

    return [
        CorpusTriple(
            id=row["id"],
            claim=same(row["claim"]),
            article=same(row["article"]),
            start=same(row["from"]),
            end=same(row["to"]),
            subject=same(row["subject"]),
            predicate=same(row["predicate"]),
            object=same(row["object"]),
            subject_type=cast("EntityType", same(row["subject_type"])),
            object_type=cast("EntityType", same(row["object_type"])),
            negated=row["negated"],
            attributed_to=same(row["attributed_to"] or ""),
            extractor=same(row["extractor"]),
        )
        for row in graph.stream(query("facts/read_triples"), corpus=corpus)
    ]


def read_names(graph: Graph, corpus: str, triples: Iterable[CorpusTriple]) -> NameTable:
    """The names that chunks and triples use; dates and numbers are none."""
    uses = _uses(graph, corpus, triples)
    names = NameTable()
    kept = recall(graph, corpus)
    if kept and extractor_option(kept.get("extractor") or "") != "rules":
        uses = list(uses)
        names.other_sense = _other_senses(uses)
    for name, kind, article, count, surface in uses:
        if (name, article) not in names.other_sense:
            names.add(name, kind, article, count, surface)
    return names


def _uses(graph: Graph, corpus: str, triples: Iterable[CorpusTriple]) -> Iterable[Use]:
    for row in graph.stream(query("entities/read_surface_forms"), corpus=corpus):
        yield row["name"], row["type"], row["article"], row["count"], row["surface"]
    for triple in triples:
        for name, kind in triple.ends:
            if kind not in LITERAL_TYPES:
                yield name, kind, triple.article, 1, name


def _other_senses(uses: Iterable[Use]) -> dict[tuple[str, str], EntityType]:
    """The articles in which a name means another thing than in most, as their types tell.

    Somebody is never something, and a work (an album) never a place. An article's word is the type that it
    gives most often. Other types are no reason: one article's organisation is another's place ("the United
    States said").
    """
    votes: defaultdict[str, defaultdict[str, Counter[EntityType]]] = defaultdict(lambda: defaultdict(Counter))
    for name, kind, article, count, _ in uses:
        if kind not in VAGUE_TYPES:
            votes[name][article][kind] += count
    found: dict[tuple[str, str], EntityType] = {}
    for name, by_article in votes.items():
        kinds = {article: voted_type(counts) for article, counts in by_article.items()}
        apart = {"PERSON", "WORK"} if PLACE_TYPES & set(kinds.values()) else {"PERSON"}
        senses: defaultdict[str, set[str]] = defaultdict(set)
        for article, kind in kinds.items():
            senses[kind if kind in apart else ""].add(article)
        used = {one: sum(by_article[article].total() for article in senses[one]) for one in senses}
        for fewer in sorted(used.keys() - {max(used, key=lambda one: (used[one], not one, one))}):
            kind = voted_type(sum((by_article[article] for article in senses[fewer]), Counter()))
            found.update(((name, article), kind) for article in senses[fewer])
    return found


def vote_name_types(names: NameTable, triples: Iterable[CorpusTriple], declared: Iterable[Bond]) -> None:
    """Vote on the type of each name that facts found by rules tell of (`name_votes`)."""
    names.voted.update(vote_types(name_votes(names, triples, declared)))


def name_votes(
    names: NameTable, triples: Iterable[CorpusTriple], declared: Iterable[Bond]
) -> list[NameVotes]:
    """What facts found by rules tell of each name, together with its declared aliases and short forms.

    What a model reads has types that it gave with the whole sentence in view: these stay.
    """
    said: defaultdict[str, set[PredicateSide]] = defaultdict(set)
    defined: defaultdict[str, set[EntityType]] = defaultdict(set)
    for triple in triples:
        if not triple.extractor.startswith(BY_RULES) or triple.negated:
            continue
        said[triple.subject].add(PredicateSide(triple.predicate, "subject"))
        said[triple.object].add(PredicateSide(triple.predicate, "object"))
        kind = defined_kind(triple.object) if triple.object_type == "CONCEPT" else None
        if kind and triple.predicate in _BEING:
            defined[triple.subject].add(kind)
    together: dict[str, frozenset[str]] = {name: frozenset({name}) for name in names.types}
    for alike in (*(bond.names for bond in declared), *_shortened(names, said.keys())):
        joined = frozenset[str]().union(*(together.get(name, ()) for name in alike))
        together.update(dict.fromkeys(joined, joined))
    return [
        NameVotes(
            sorted(group),
            sum((Counter(names.types[name]) for name in group), Counter[EntityType]()),
            frozenset[PredicateSide]().union(*(said[name] for name in group)),
            frozenset[EntityType]().union(*(defined[name] for name in group)),
        )
        for group in sorted(set(together.values()), key=min)
        if any(said[name] for name in group)
    ]


def _shortened(names: NameTable, told: Collection[str]) -> Iterator[tuple[str, str]]:
    """Names of which nothing is told, each with the only name that articles shorten to it."""
    whole: defaultdict[str, list[str]] = defaultdict(list)
    for name, surfaces in names.surfaces.items():
        for surface in surfaces - {name}:
            whole[surface].append(name)
    for short in sorted(names.types.keys() - set(told)):
        if len(whole[short]) == 1:
            yield short, whole[short][0]


def read_stated_aliases(graph: Graph, corpus: str, names: NameTable) -> list[Bond]:
    """Bonds between names of which an article says that they are one thing's."""
    rows = graph.stream(query("articles/read_texts"), corpus=corpus)
    return stated_aliases(((row["title"], row["body"]) for row in rows), names.entity_names())


def merge_names(
    corpus: str, names: NameTable, declared: Sequence[Bond] = (), apart: Collection[tuple[str, str]] = ()
) -> Merged:
    """Decide on entities: by the rules, by bonds that were declared, and with these pairs of names apart."""
    merges = merge_exact(names.entity_names(), declared, apart)
    id_of = _canonical_ids(corpus, merges)
    entity_of = {name: id_of[canonical] for name, canonical in merges.canonical.items()}
    gathered: dict[str, set[str]] = defaultdict(set)
    for name, canonical in merges.canonical.items():
        gathered[canonical] |= {name, *names.surfaces[name]}
    entities = {
        id_of[canonical]: {
            **entity_row(corpus, canonical, merges.type_of[canonical]),
            "id": id_of[canonical],
            "aliases": sorted(found - {canonical}),
        }
        for canonical, found in gathered.items()
    }
    aliases = [
        {
            "id": node_id(corpus, "alias", merge.alias_name, merge.canonical),
            "name": merge.alias_name,
            "key": normal_form(merge.alias_name),
            "entity": id_of[merge.canonical],
            "score": merge.score,
            "evidence": merge.evidence,
        }
        for merge in merges.aliases
    ]
    articles: dict[str, set[str]] = defaultdict(set)
    for name, entity in entity_of.items():
        articles[entity] |= names.articles[name]
    other_sense: dict[tuple[str, str], str] = {}
    for (name, article), kind in names.other_sense.items():
        id_ = content_id(corpus, "entity", "name", normal_form(name), f"{name} ({kind})")
        other_sense[name, article] = id_
        articles[id_].add(article)
        entities[id_] = {**entity_row(corpus, name, kind), "id": id_, "aliases": []}
    return Merged(corpus, entity_of, entities, articles, aliases, merges.split, other_sense)


def write_merges(graph: Graph, merged: Merged, triples: Iterable[CorpusTriple]) -> None:
    """Write entities, aliases and split groups, and move what hangs on another entity than it should."""
    corpus = merged.corpus
    graph.write_rows(query("entities/write_resolved"), merged.entities.values(), corpus=corpus)
    graph.write_rows(query("entities/write_resolved"), _literals(corpus, triples), corpus=corpus)
    graph.write_rows(query("facts/move_triples"), _triple_moves(merged, triples))
    several = sorted({name for name, _ in merged.other_sense})
    ends = graph.rows(query("entities/read_name_ends"), corpus=corpus, several=several)
    moves = [
        {"name": row["name"], "from": row["entity"], "to": wanted, "article": row["article"]}
        for row in ends
        if (wanted := _entity_of_end(merged, row)) != row["entity"]
    ]
    graph.write_rows(query("entities/move_names"), moves, size=MOVES_A_BATCH)
    graph.write_rows(query("links/write_aliases"), merged.aliases, corpus=corpus)
    graph.write_rows(query("links/write_split_groups"), _split_rows(merged), corpus=corpus)


def _entity_of_end(merged: Merged, end: Row) -> str:
    if end["literal"]:
        return entity_id(merged.corpus, end["name"], "DATE")
    other = merged.other_sense.get((end["name"], end["article"]))
    return other or merged.entity_of.get(end["name"], end["entity"])


def _canonical_ids(corpus: str, merges: ExactMerges) -> dict[str, str]:
    """An id for every canonical name; names of one form that were told apart get ids of their own."""
    by_key: dict[str, list[str]] = defaultdict(list)
    for canonical in sorted(set(merges.canonical.values())):
        by_key[normal_form(canonical)].append(canonical)
    return {
        canonical: entity_id(corpus, canonical, "MISC")
        if len(sharing) == 1
        else content_id(corpus, "entity", "name", key, canonical)
        for key, sharing in by_key.items()
        for canonical in sharing
    }


def _literals(corpus: str, triples: Iterable[CorpusTriple]) -> Iterator[Row]:
    """Dates and numbers in their commonest spelling, whichever article came first."""
    spellings: dict[str, Counter[Named]] = defaultdict(Counter)
    for triple in triples:
        for name, kind in triple.ends:
            if kind in LITERAL_TYPES:
                spellings[entity_id(corpus, name, kind)][name, kind] += 1
    for found in spellings.values():
        yield entity_row(corpus, *max(found, key=lambda spelling: (found[spelling], spelling)))


def _triple_moves(merged: Merged, triples: Iterable[CorpusTriple]) -> Iterator[Row]:
    for triple in triples:
        start, end = (merged.entity_for(name, kind, triple.article) for name, kind in triple.ends)
        if (start, end) != (triple.start, triple.end):
            yield {"id": triple.id, "from": start, "to": end}


def _split_rows(merged: Merged) -> Iterator[Row]:
    for group in merged.split:
        yield {
            "id": node_id(merged.corpus, "split", group.reason, *group.names),
            "names": list(group.names),
            "reason": group.reason,
            "members": [
                {"name": name, "part": part, "entity": merged.entity_of[name]}
                for part, names in enumerate(group.parts)
                for name in names
                if name in merged.entity_of
            ],
        }
