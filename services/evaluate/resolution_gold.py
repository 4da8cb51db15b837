"""How well names were merged and linked, measured on gold (`benchmark resolution`).

What gold does not cover is not counted as wrong: a merge or a link counts against precision only where gold
knows both of its ends and says that they are two things. So precision here is that of the names in gold, and
says nothing of the rest of the graph; read a sample for that. A gold name that is no name in the graph (the
extractor did not see it) is a group of its own: it costs recall, and `missing` says how many there are.

How well a grouping of items agrees with a gold grouping: pairs, and B-cubed.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeVar

from kg.model import EntityName, EntityType
from kg.queries import query
from kg.resolve.exact import merge_exact
from kg.resolve.normal_form import ARTICLES, TITLES
from kg.store.graph import Graph, Row
from services.evaluate.resolution_rows import AliasRow, ExpressionRow, Format, SurfaceRow, read_rows
from services.statistics.clustered_means import share_interval
from services.statistics.intervals import Interval, wilson

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Share:
    """`right` of `n`, with a 95 % interval; both rate and interval are None where n is 0."""

    right: int
    n: int
    rate: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class BCubed:
    """B-cubed precision, recall and their harmonic mean over `items`."""

    items: int
    precision: float
    recall: float
    f1: float


def share(verdicts: Sequence[bool], groups: Sequence[str] = ()) -> Share:
    """The share of true verdicts; with `groups`, the interval allows for verdicts of a group going together.

    All pairs of one entity stand or fall together, so taking them for independent would promise too much.
    """
    right, n = sum(verdicts), len(verdicts)
    if not n:
        return Share(0, 0, None, None)
    interval = share_interval(verdicts, groups) if groups else wilson(right, n)
    return Share(right, n, right / n, interval)


def pairwise(found: Mapping[Item, str], gold: Mapping[Item, str]) -> tuple[Share, Share]:
    """Pairwise precision and recall of `found` groups against `gold` groups, over the same items.

    A pair of items counts for precision where `found` puts both into one group, for recall where `gold` does.
    """
    return _agreement(found, gold), _agreement(gold, found)


def _agreement(one: Mapping[Item, str], other: Mapping[Item, str]) -> Share:
    """Of the pairs that `one` joins, those that `other` joins too."""
    verdicts, groups = [], []
    for name, members in _members(one).items():
        for first, second in combinations(members, 2):
            verdicts.append(other[first] == other[second])
            groups.append(name)
    return share(verdicts, groups)


def b_cubed(found: Mapping[Item, str], gold: Mapping[Item, str]) -> BCubed:
    """B-cubed (Bagga and Baldwin 1998, "Algorithms for Scoring Coreference Chains").

    For each item: precision is the share of its found group that has its gold group, recall the share of its
    gold group that is in its found group; both are averaged over the items. f1 is the harmonic mean of the
    two averages. No items score 1.
    """
    if found.keys() != gold.keys():
        raise ValueError("Found and gold groups must be over the same items.")
    if not gold:
        return BCubed(0, 1.0, 1.0, 1.0)
    both = Counter((found[item], gold[item]) for item in gold)
    found_size, gold_size = Counter(found.values()), Counter(gold.values())
    precision = sum(n * n / found_size[mine] for (mine, _), n in both.items()) / len(gold)
    recall = sum(n * n / gold_size[theirs] for (_, theirs), n in both.items()) / len(gold)
    return BCubed(len(gold), precision, recall, 2 * precision * recall / (precision + recall))


def _members(groups: Mapping[Item, str]) -> dict[str, list[Item]]:
    members: defaultdict[str, list[Item]] = defaultdict(list)
    for item, group in groups.items():
        members[group].append(item)
    return members


MOST_ERRORS = 1_000

_KG_RAG_TYPES: dict[str, EntityType] = {
    "PERSON": "PERSON", "ORG": "ORG", "PLACE": "GPE", "WORK": "WORK", "DATE": "DATE", "LITERAL": "NUMBER",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GoldName:
    """A name as gold has it: for which entity, written how, in which article ("" for anywhere)."""

    entity: str
    form: str
    article: str


@dataclass(frozen=True, slots=True)
class ResolutionScores:
    """Scores of exact merges and contextual links against one gold file.

    `exact_precision` and `exact_recall` are over pairs of names; `found_recall` is the recall over names that
    are in the graph. `context_precision` is over links between entities that gold knows, `context_recall`
    over what exact merges leave apart. `errors` are the worst mistakes in words, worst first.
    """

    format: Format
    names: int
    missing: int
    exact_precision: Share
    exact_recall: Share
    found_recall: Share
    b_cubed: BCubed
    context_precision: Share
    context_recall: Share
    errors: tuple[str, ...]


def evaluate_resolution(path: Path, kind: Format, graph: Graph, corpus: str) -> ResolutionScores:
    """Score a corpus in the graph on a gold file of the seed's formats.

    Raises:
        InputError: the file can't be read, or a row is not of the format.
    """
    if kind == "seed-aliases":
        return _score_aliases(_alias_names(read_rows(path, AliasRow)), _Resolution.read(graph, corpus))
    expressions = read_rows(path, ExpressionRow)
    aliases = path.with_name("aliases.jsonl")
    named = _alias_names(read_rows(aliases, AliasRow)) if aliases.is_file() else []
    return _score_expressions(expressions, named, _Resolution.read(graph, corpus))


def evaluate_merging(path: Path) -> ResolutionScores:
    """Score exact merges on kg_rag's resolved aliases; the names come from the file, so no graph is needed.

    Types are taken as given: PLACE as a town or country, LITERAL as a number, all others as unknown.
    """
    surfaces = [
        (row.canonical_name, _KG_RAG_TYPES.get(row.type, "MISC"), alias)
        for row in read_rows(path, SurfaceRow)
        for alias in row.aliases
    ]
    names = [
        EntityName(alias.surface, kind, frozenset(alias.chunks), alias.count) for _, kind, alias in surfaces
    ]
    merges = merge_exact(names)
    gold = {GoldName(entity, alias.surface, ""): entity for entity, _, alias in surfaces}
    found = {item: merges.canonical[item.form] for item in gold}
    because = {alias.alias_name: alias.evidence for alias in merges.aliases}
    errors = [*_wrong_merges(found, gold, because), *_missed_merges(found, gold)]
    precision, recall = pairwise(found, gold)
    nothing = share([])
    return ResolutionScores(
        "kg_rag",
        len(gold),
        0,
        precision,
        recall,
        recall,
        b_cubed(found, gold),
        nothing,
        nothing,
        tuple(errors),
    )


@dataclass(frozen=True, slots=True)
class _Resolution:
    """What a corpus makes of names: entities by (article, folded name), and its contextual links."""

    by_place: Mapping[tuple[str, str], str]
    links: Sequence[Row]

    @classmethod
    def read(cls, graph: Graph, corpus: str) -> "_Resolution":
        counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for row in graph.stream(query("entities/read_resolved_names"), corpus=corpus):
            for form in {_fold(row["surface"]), _fold(row["name"])}:
                counts[row["article"], form][row["entity"]] += 1
            counts["", _fold(row["name"])][row["entity"]] += 1
        most = {place: min(found, key=lambda one: (-found[one], one)) for place, found in counts.items()}
        return cls(most, graph.rows(query("links/count_contexts"), corpus=corpus))

    def entity_of(self, name: GoldName) -> str | None:
        """The entity that an article's name hangs on; a title before it may be left out."""
        form = _fold(name.form)
        exactly = self.by_place.get((name.article, form))
        return exactly or self.by_place.get((name.article, _strip_title(form)))


def _alias_names(rows: Iterable[AliasRow]) -> list[GoldName]:
    names = []
    for row in rows:
        names.append(GoldName(row.name, row.name, ""))
        names += [
            GoldName(row.name, alias.alias, article) for alias in row.aliases for article in alias.articles
        ]
    return names


def _score_aliases(names: Sequence[GoldName], resolved: _Resolution) -> ResolutionScores:
    gold = {name: name.entity for name in names}
    seen = {name: entity for name in names if (entity := resolved.entity_of(name))}
    found = {name: seen.get(name, f"missing: {name}") for name in names}
    precision, recall = pairwise(found, gold)
    _, found_recall = pairwise(seen, {name: gold[name] for name in seen})
    entities = _entities_of(seen)
    right, wrong = _judged_links(entities, resolved.links)
    linked = {frozenset((link["a"], link["b"])) for link in resolved.links}
    left = _left_apart(seen, entities)
    verdicts = [frozenset(pair) in linked for pair in left]
    unseen = [
        f'not in the graph: "{name.form}" ({name.entity}) in {name.article or "any article"}'
        for name in names
        if name not in seen
    ]
    errors = [
        *_wrong_merges(seen, gold, {}), *map(_as_words, wrong), *_missed_merges(seen, gold), *unseen
    ]  # fmt: skip
    return ResolutionScores(
        "seed-aliases", len(names), len(names) - len(seen), precision, recall, found_recall,
        b_cubed(found, gold), share([True] * len(right) + [False] * len(wrong)),
        share(verdicts, [left[pair] for pair in left]), tuple(errors),
    )  # fmt: skip


def _score_expressions(
    rows: Sequence[ExpressionRow], named: Sequence[GoldName], resolved: _Resolution
) -> ResolutionScores:
    """An expression is found where its entity's node, or one that it was merged into, has a link to it."""
    expressions = [GoldName(row.entity, row.expression, article) for row in rows for article in row.articles]
    seen = {name: entity for name in expressions if (entity := resolved.entity_of(name))}
    owners = [*named, *(GoldName(row.entity, row.entity, "") for row in rows)]
    entities = _entities_of({name: entity for name in owners if (entity := resolved.entity_of(name))})
    meant = _entities_of(seen)
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for link in resolved.links:
        neighbours[link["a"]].add(link["b"])
        neighbours[link["b"]].add(link["a"])
    verdicts, errors = [], []
    for name in expressions:
        node = seen.get(name, "")
        reached = {owner for one in neighbours[node] | {node} for owner in entities.get(one, ())}
        verdicts.append(bool(node) and name.entity in reached)
        if not verdicts[-1]:
            why = "no link" if node else "no such name in the graph"
            errors.append(f'missed: "{name.form}" is {name.entity} in {name.article} ({why})')
    known = {
        node: entities.get(node, frozenset()) | meant.get(node, frozenset()) for node in entities | meant
    }
    touching = [link for link in resolved.links if {link["a"], link["b"]} & meant.keys()]
    right, wrong = _judged_links(known, touching)
    found = {name: seen.get(name, f"missing: {name}") for name in expressions}
    gold = {name: name.entity for name in expressions}
    precision, recall = pairwise(found, gold)
    _, found_recall = pairwise(seen, {name: gold[name] for name in seen})
    return ResolutionScores(
        "seed-contextual", len(expressions), len(expressions) - len(seen), precision, recall, found_recall,
        b_cubed(found, gold), share([True] * len(right) + [False] * len(wrong)),
        share(verdicts, [name.entity for name in expressions]), (*map(_as_words, wrong), *errors),
    )  # fmt: skip


def _entities_of(seen: Mapping[GoldName, str]) -> dict[str, frozenset[str]]:
    """The gold entities whose names hang on each node."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, node in seen.items():
        found[node].add(name.entity)
    return {node: frozenset(entities) for node, entities in found.items()}


def _judged_links(known: Mapping[str, frozenset[str]], links: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """The links between two nodes that gold knows: those of one entity, and the others."""
    judged = [link for link in links if link["a"] in known and link["b"] in known]
    right = [link for link in judged if known[link["a"]] & known[link["b"]]]
    return right, [link for link in judged if not known[link["a"]] & known[link["b"]]]


def _left_apart(
    seen: Mapping[GoldName, str], entities: Mapping[str, frozenset[str]]
) -> dict[tuple[str, str], str]:
    """Pairs of nodes that are one gold entity and nothing else, with its name: what links should join."""
    nodes: defaultdict[str, set[str]] = defaultdict(set)
    for name, node in seen.items():
        if len(entities[node]) == 1:
            nodes[name.entity].add(node)
    return {pair: entity for entity in sorted(nodes) for pair in combinations(sorted(nodes[entity]), 2)}


def _wrong_merges(
    found: Mapping[GoldName, str], gold: Mapping[GoldName, str], because: Mapping[str, str]
) -> list[str]:
    """Names of two entities in one group, each pair of forms once, the largest groups first."""
    groups: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for name, node in found.items():
        groups[node].add((gold[name], name.form))
    lines = []
    for members in sorted(groups.values(), key=lambda one: (-len(one), sorted(one))):
        if len({entity for entity, _ in members}) > 1:
            named = ", ".join(f'"{form}" ({entity})' for entity, form in sorted(members))
            reasons = sorted({because[form] for _, form in members if form in because})
            lines.append(f"wrongly one: {named}" + (f"; {'; '.join(reasons)}" if reasons else ""))
    return lines[:MOST_ERRORS]


def _missed_merges(found: Mapping[GoldName, str], gold: Mapping[GoldName, str]) -> list[str]:
    """Entities whose names fell into several groups, those in most groups first."""
    parts: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name, node in found.items():
        parts[gold[name]][node].add(name.form)
    broken = {entity: pieces for entity, pieces in parts.items() if len(pieces) > 1}
    return [
        f"apart: {entity}: " + " | ".join(sorted(", ".join(sorted(forms)) for forms in pieces.values()))
        for entity, pieces in sorted(broken.items(), key=lambda item: (-len(item[1]), item[0]))
    ][:MOST_ERRORS]


def _as_words(link: Row) -> str:
    return f'wrongly linked: "{link["a_name"]}" and "{link["b_name"]}" ({link["evidence"]})'


def _fold(form: str) -> str:
    words = form.replace("\u2019", "'").casefold().removesuffix("'s").split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ARTICLES else words)


def _strip_title(form: str) -> str:
    words = form.split()
    while len(words) > 1 and words[0] in TITLES:
        words = words[1:]
    return " ".join(words)
