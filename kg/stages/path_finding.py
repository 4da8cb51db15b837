"""Sixth stage: shortest directed acyclic paths of two to five hops, drawn by seed, written with their claims.

Between a start and an end there is one path, drawn uniformly among the shortest ones that fit the options;
how many there were is kept (GRADE, section 3.2). Which engine searches makes no difference to the result.

What was made from paths goes with them: questions, runs, and the error rates that runs left on nodes.

Paths beyond the first draw, for depths whose paths did not give enough questions.

A later draw of a depth begins with the paths of the one before, so what it has beyond them is new.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from kg.corpus import recall, remember
from kg.engine.choose import Engine
from kg.errors import SettingsError
from kg.ledger import Counts
from kg.paths.choose import Fitness
from kg.paths.engines import EngineName, open_engine
from kg.paths.path_rows import Way, write_ways
from kg.paths.protocol import DEPTHS, NOTHING, Walk, Without, read_articles
from kg.paths.quality import read_corpus_names
from kg.paths.sample import Sample, Sampler, draw_sample
from kg.paths.spread import Caps, DrawRules, SampledPair
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph


def forget_questions(graph: Graph, corpus: str) -> None:
    """Delete the questions of a corpus with the paths that were drawn for them after the first draw.

    The runs that answered them go as well, and the error rates are reset.
    """
    graph.rows(query("runs/delete_runs"), corpus=corpus)
    graph.rows(query("questions/delete_questions"), corpus=corpus)
    graph.rows(query("paths/delete_later_rounds"), corpus=corpus)
    write_rates(graph, corpus)


def write_rates(graph: Graph, corpus: str) -> None:
    """Write onto every node the share of wrong answers over all runs; nodes without answers have none."""
    graph.rows(query("answers/write_rates"), corpus=corpus)


__all__ = [
    "DEPTHS",
    "PathOptions",
    "check_domain",
    "clear_paths",
    "find_paths",
    "read_path_options",
    "ways_of",
]


@dataclass(frozen=True, slots=True)
class PathOptions:
    """How the paths of a corpus are drawn.

    `per_depth` paths of each depth, spread over starts, ends, entities inside and facts as far as the graph
    allows (`kg.paths.spread`), and in none of which an entity is start, end or inside more often than
    `per_start`, `per_end` and `per_middle` (0: any number). A pair's path is drawn among those of its
    shortest paths that state no two hops by one sentence, go through no name that only context knows, go in
    no circle, leave something to ask about (`kg.paths.quality`), and, as asked for, cross articles and lie in
    one category of articles; a pair that has none is passed over. The others say which edges are walked
    (`kg.paths.protocol.Walk`).

    `engine` is left out of comparison and of the stage's key: every engine draws the same.
    """

    per_depth: int = 400
    seed: int = 0
    per_start: int = 0
    per_end: int = 0
    per_middle: int = 0
    cross_articles: bool = False
    domain: str = ""
    undirected: bool = False
    mirrored: bool = True
    literals_inside: bool = False
    engine: EngineName = field(default="auto", compare=False, repr=False)

    @property
    def walk(self) -> Walk:
        """The edges that may be walked."""
        return Walk(self.undirected, self.mirrored, self.literals_inside)

    @property
    def caps(self) -> Caps:
        """How often an entity may occur in one depth."""
        return Caps(self.per_start, self.per_end, self.per_middle)

    @property
    def fitness(self) -> Fitness:
        """What a path must be like."""
        return Fitness(self.cross_articles, self.domain)

    def rules(self, graph: Graph, corpus: str) -> DrawRules:
        """What the sample of a corpus is drawn by."""
        return DrawRules(self.seed, self.caps, self.fitness, read_corpus_names(graph, corpus), graded=True)


def read_path_options(graph: Graph, corpus: str) -> PathOptions:
    """How the paths of a corpus were drawn last; the defaults where they never were."""
    kept = recall(graph, corpus)
    return PathOptions(
        **{name: kept[key] for name, key in _recorded_names().items() if kept.get(key) is not None}
    )


def find_paths(
    graph: Graph, corpus: str, options: PathOptions, progress: Progress, workers: Engine | None = None
) -> Counts:
    """Draw and write the paths of a corpus; the counts tell how many pairs there were to draw from.

    `workers`, by default this machine, search from blocks of starts; the draw itself is made here.

    Raises:
        SettingsError: no article of the corpus has the category that paths must lie in.
    """
    check_domain(graph, corpus, options.domain)
    recorded = {key: getattr(options, name) for name, key in _recorded_names().items()}
    remember(graph, corpus, recorded)
    progress.step("edges")
    engine = open_engine(graph, corpus, options.walk, options.engine).engine
    sample = draw_sample(engine, options.per_depth, options.rules(graph, corpus), progress, workers)
    progress.step("writing paths", len(sample.paths))
    ways = (way for depth in DEPTHS for way in ways_of(engine.entities, sample, depth))
    for _ in write_ways(graph, corpus, ways, "drawn"):
        progress.advance()
    return _counts(graph, corpus, sample) | {"engine": engine.name}


def check_domain(graph: Graph, corpus: str, domain: str) -> None:
    """Make sure that there are articles of a category, if one is wanted.

    Raises:
        SettingsError: there is none; the message lists the categories that there are.
    """
    marks = read_articles(graph, corpus).values() if domain else ()
    categories = sorted({mark.category for mark in marks if mark.category})
    if domain and domain not in categories:
        known = ", ".join(map(repr, categories)) or "none"
        raise SettingsError(
            f"no article of corpus {corpus!r} has the category {domain!r} (found: {known}).",
            "Give one of these as --domain, or --domain '' for all articles.",
        )


def clear_paths(graph: Graph, corpus: str) -> None:
    """Delete the paths of an earlier draw, and what was made from them; saved paths that still hold stay."""
    forget_questions(graph, corpus)
    graph.rows(query("paths/delete_paths"), corpus=corpus)


def _recorded_names() -> dict[str, str]:
    """The options that decide what is drawn, with the names under which the corpus keeps them."""
    unprefixed = {"per_depth", "seed"}
    return {
        option.name: option.name if option.name in unprefixed else f"paths_{option.name}"
        for option in fields(PathOptions)
        if option.compare
    }


def ways_of(entities: Sequence[str], sample: Sample, depth: int) -> list[Way]:
    """The paths of a depth in the order of the draw, by the ids of their entities and edges."""
    drawn = (one for one in sample.paths if one.pair.hops == depth)
    return [_way_of(entities, one, place) for place, one in enumerate(drawn, start=1)]


def _way_of(entities: Sequence[str], drawn: SampledPair, place: int) -> Way:
    arcs = drawn.choice.arcs
    stops = (arcs[0].tail, *(arc.head for arc in arcs))
    return Way(
        tuple(entities[stop] for stop in stops),
        tuple(arc.edge for arc in arcs),
        drawn.choice.alternatives,
        drawn.choice.fitting,
        place,
    )


def _counts(graph: Graph, corpus: str, sample: Sample) -> Counts:
    counts: Counts = {f"pairs_{depth}_hops": sample.pairs[depth] for depth in DEPTHS}
    written = {row["hops"]: row for row in graph.rows(query("paths/count_paths"), corpus=corpus, first=True)}
    for depth, row in written.items():
        counts[f"paths_{depth}_hops"] = row["paths"]
    for name, passed_over in (
        ("over_caps", sample.over_caps),
        ("not_fitting", sample.unfit),
        ("one_sentence", sample.one_sentence),
        ("by_context", sample.by_context),
        ("circular", sample.circular),
        ("unaskable", sample.unaskable),
    ):
        if any(passed_over.values()):
            counts |= {f"{name}_{depth}_hops": passed_over[depth] for depth in DEPTHS}
    for what in ("crossing", "exact", "context"):
        counts[what] = sum(row[what] for row in written.values())
    if sample.starts_searched < sample.starts:
        counts["starts_searched"] = sample.starts_searched
    if sample.context_starts:
        counts["context_starts"] = sample.context_starts
    return counts | {"starts": sample.starts}


FIRST_LATER_ROUND = 2


@dataclass(frozen=True, slots=True)
class Pool:
    """What a depth can be drawn from: its pairs, those over the caps, and those without a path that fits.

    Of the paths drawn `given_up` were not asked about: questions of others had fallen at the same fact, or
    other evidence tells it, or it was asked about often enough.
    """

    pairs: int
    over_caps: int
    unfit: int
    given_up: int = 0


@dataclass(frozen=True, slots=True)
class Beyond:
    """The paths of a larger draw beyond the known ones, in its order; `exhausted`: no larger one has more."""

    ways: tuple[Way, ...]
    exhausted: bool
    pool: Pool


class LaterDraws:
    """Larger draws of a corpus' paths; edges and names are read when the first one is asked for, and once.

    None of them walks what is `without`, as far as the engine can leave it out. `most` paths of a depth are
    the largest draw that is expected.
    """

    def __init__(
        self,
        graph: Graph,
        corpus: str,
        options: PathOptions,
        progress: Progress,
        without: Without = NOTHING,
        workers: Engine | None = None,
        most: int = 0,
    ) -> None:
        self._workers = workers
        self._most = most
        self._without = without
        self._graph = graph
        self._corpus = corpus
        self._options = options
        self._progress = progress
        self._sampler: Sampler | None = None

    def beyond(self, known: Mapping[int, int], numbers: Mapping[int, int]) -> dict[int, Beyond]:
        """For each depth of `numbers`, what a draw of so many paths has beyond the `known` first ones."""
        sampler = self._sampler
        if sampler is None:
            self._progress.step("edges")
            options = self._options
            opened = open_engine(self._graph, self._corpus, options.walk, options.engine, self._without)
            rules = options.rules(self._graph, self._corpus)
            sampler = self._sampler = Sampler(opened.engine, rules, self._workers, self._most)
        sample = sampler.draw(numbers, self._progress)
        found: dict[int, Beyond] = {}
        for depth, number in numbers.items():
            ways = ways_of(sampler.entities, sample, depth)
            found[depth] = Beyond(
                tuple(ways[known[depth] :]),
                len(ways) < number,
                Pool(sample.pairs[depth], sample.over_caps[depth], sample.without_a_path(depth)),
            )
        return found


def write_round(graph: Graph, corpus: str, ways: Sequence[Way], round_: int) -> list[str]:
    """Write the paths of a later round; their ids, in their order."""
    return list(write_ways(graph, corpus, ways, "drawn", round_))
