"""Fit the graph retriever's weights anew, show how far they hold: `python -m benchmarks.retrieval_search`.

Reads the three development sets (HOPGRADE_SHARED, or ../shared beside the checkout) into the graph that `kg`
uses, as `kg benchmark retrieval` does, and each graph into a snapshot by the retriever's own loader. With no
option it fits the weights on all sets; then on all but one, measured on that one; then on four fifths of the
questions of each set, measured on the rest, folds drawn with seed 0. With `--plateau` it also halves and
doubles every number of `GraphSettings`, with the weights as they stand in the code, and takes each feature of
the second sum away, with weights fitted anew. With `--walk` it does nothing of this, but compares the walks
as the retriever takes them with walks to the end. With `--hops` it tells questions apart by their pieces of
evidence instead: weights of the code, fitted on few pieces and on many, and further rounds of anchors.
Prints Recall@5 / AllGold@10 in per cent. It changes nothing; weights are rounded into
`services/rag/graph_search/evidence.py` by hand.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.listwise import Choice, Values, fit_weights
from kg.connect import open_graph
from kg.embed.choose import Embedder, Vectors
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.benchmarks.retrieval_sets import ONE_CHUNK, development_sets, prepare_set
from services.rag.graph_search.evidence import (
    ALONE,
    BESIDE,
    FIRST,
    SECOND,
    Candidates,
    alone,
    anchors_of,
    beside,
)
from services.rag.graph_search.load import load_snapshot
from services.rag.graph_search.search import (
    FirstWalk,
    GraphIndex,
    SecondWalk,
    begin,
    follow,
    prepare_graph,
    search_graph,
)
from services.rag.graph_search.seeds import DEFAULT, GraphSettings
from services.rag.graph_search.snapshot import Snapshot
from services.rag.protocol import RagQuestion
from services.rag.retrieval.pagerank import SETTINGS as TO_THE_END
from services.settled_options import DEFAULT_EMBEDDER

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("HOPGRADE_SHARED", ROOT.parent / "shared")) / "data"
SEED, FOLDS = 0, 5
PENALTY = 1e-3
DEPTH = 10
MANY = 3
"""Pieces of evidence from which on a question counts as one of many."""

Embed = Callable[[Sequence[str]], Vectors]
Weights = tuple[Values, Values]
Marks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DevelopmentSet:
    """A set with its graph; `gold` are a question's pieces of evidence, each by the chunks that hold it."""

    name: str
    snapshot: Snapshot
    questions: tuple[RagQuestion, ...]
    gold: tuple[tuple[frozenset[str], ...], ...]


@dataclass(frozen=True, slots=True)
class Rounds:
    """How often anchors are chosen and a walk begins at them, and what a second chunk of an article counts.

    With `article_once` only the best chunk of an article has what its title adds, as a name of the question
    or of an anchor.
    """

    count: int = 1
    article_once: bool = False


AS_IN_CODE = Rounds()
FURTHER: Sequence[tuple[str, Rounds]] = (
    ("a third round", Rounds(2)),
    ("an article once", Rounds(1, article_once=True)),
    ("both", Rounds(2, article_once=True)),
)


@dataclass(frozen=True, slots=True)
class SetWalks:
    """A set after the first walks."""

    of: DevelopmentSet
    index: GraphIndex
    begun: tuple[FirstWalk, ...]


def main() -> None:
    """Search and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plateau", action="store_true")
    parser.add_argument("--walk", action="store_true")
    parser.add_argument("--hops", action="store_true")
    given = parser.parse_args()
    settings = Settings()
    with open_graph(settings, Silent()) as graph:
        sets, embedder = read_sets(graph, settings)
    embed = remembering(embedder.embed)
    if given.walk:
        print_walks(sets, embed)
    elif given.hops:
        print_hops([first_walks(one, DEFAULT, embed) for one in sets])
    else:
        report(sets, embed, given.plateau)


def read_sets(graph: Graph, settings: Settings) -> tuple[list[DevelopmentSet], Embedder]:
    """The development sets out of the graph, and the embedder of their vectors."""
    sets = list[DevelopmentSet]()
    for files in development_sets([SHARED]):
        ready = prepare_set(graph, settings, files, DEFAULT_EMBEDDER, ONE_CHUNK, Silent())
        vectors = ready.embedder.embed_queries([one.question.text for one in ready.questions])
        question = tuple(
            RagQuestion(one.question.id, one.question.text, vector)
            for one, vector in zip(ready.questions, vectors, strict=True)
        )
        gold = tuple(tuple(map(frozenset, one.groups)) for one in ready.questions)
        sets.append(DevelopmentSet(files.name, load_snapshot(graph, ready.corpus), question, gold))
    return sets, ready.embedder


def report(sets: Sequence[DevelopmentSet], embed: Embed, plateau: bool) -> None:
    """Print what the searches give."""
    walked = [first_walks(one, DEFAULT, embed) for one in sets]
    everything = [(one, range(len(one.begun))) for one in walked]
    print_line("weights in the code", in_code(), everything)
    fitted = fit(everything)
    print_line("fitted on all", fitted, everything)
    for columns, weights, old in ((ALONE, fitted[0], FIRST), (BESIDE, fitted[1], SECOND)):
        for name, weight in zip(columns, weights, strict=True):
            print(f"    {name:<18}{weight:>8.2f}   in the code {old[name]:>6.2f}")
    for left_out, part in everything:
        rest = [(one, rows) for one, rows in everything if one is not left_out]
        print_line(f"fitted without {left_out.of.name}", fit(rest), [(left_out, part)])
    print_folds(walked)
    if plateau:
        print_settings(sets, embed)
        print_features(everything)


def first_walks(one: DevelopmentSet, settings: GraphSettings, embed: Embed) -> SetWalks:
    """A set as far as no weight has a say."""
    index = prepare_graph(one.snapshot, settings)
    return SetWalks(one, index, tuple(begin(one.snapshot, index, one.questions, embed, DEPTH)))


def fit(parts: Sequence[tuple[SetWalks, Sequence[int]]], without: str = "") -> Weights:
    """Weights of both sums on some questions of some sets; every set counts the same."""
    first = fit_weights(
        [
            Choice(
                _without(alone(of.index.library, begun.sought, begun.candidates), ALONE, without), gold, share
            )
            for of, begun, gold, share in _choose(parts)
        ],
        PENALTY,
    )
    choices = list[Choice]()
    for of, rows in parts:
        for row in rows:
            followed = _follow(of, of.begun[row], first)
            values = beside(
                of.index.library, followed.first_walk.sought, followed.candidates, followed.anchors
            )
            gold = _is_gold(of, row, followed.candidates)
            choices.append(Choice(_without(values, BESIDE, without), gold, 1 / len(rows)))
    return first, fit_weights(choices, PENALTY)


def measure(
    of: SetWalks, rows: Iterable[int], weights: Weights, rounds: Rounds = AS_IN_CODE
) -> tuple[Values, Values]:
    """Recall@5 and AllGold@10 of each question."""
    measured = [_measure(ranking(of, row, weights, rounds), of.of.gold[row]) for row in rows]
    recalls, alls = zip(*measured, strict=True)
    return np.array(recalls), np.array(alls)


def ranking(of: SetWalks, row: int, weights: Weights, rounds: Rounds) -> list[str]:
    """The best chunks of a question; what the last round found are the anchors of the next."""
    library, begun = of.index.library, of.begun[row]
    candidates, reached = begun.candidates, np.zeros(len(begun.walk.chunks))
    scores = alone(library, begun.sought, candidates) @ weights[0]
    for _ in range(rounds.count):
        anchors = anchors_of(candidates, scores)
        followed = follow(of.index, begun, anchors)
        chunks = np.union1d(candidates.chunks, followed.candidates.chunks).astype(np.int32)
        reached = np.maximum(reached, _shares(followed.walk.chunks))
        candidates = Candidates(chunks, _shares(begun.walk.chunks)[chunks], reached[chunks])
        parts = beside(library, begun.sought, candidates, anchors) * weights[1]
        scores = parts.sum(axis=1)
        if rounds.article_once:
            scores = _article_once(library.pages[chunks], parts, scores)
    best = np.argsort(-scores, kind="stable")[:DEPTH]
    return [of.of.snapshot.chunks.ids[candidates.chunks[at]] for at in best]


def _article_once(pages: NDArray[np.int32], parts: Values, scores: Values) -> Values:
    titled = parts[:, [BESIDE.index("title"), BESIDE.index("page")]].sum(axis=1)
    order = np.argsort(-scores, kind="stable")
    _, first = np.unique(pages[order], return_index=True)
    again = np.ones(len(pages), dtype=np.bool_)
    again[order[first]] = False
    return np.where(again & (pages >= 0), scores - titled, scores)


def _shares(masses: Values) -> Values:
    return masses / max(float(masses.max()), np.finfo(np.float64).tiny)


def in_code() -> Weights:
    """The weights of the retriever."""
    return np.array([FIRST[name] for name in ALONE]), np.array([SECOND[name] for name in BESIDE])


def print_line(what: str, weights: Weights, parts: Sequence[tuple[SetWalks, Sequence[int]]]) -> None:
    """One line of the table."""
    found = {of.of.name: measure(of, rows, weights) for of, rows in parts}
    print(
        f"{what:<32}" + "".join(f"{name:>10} {_format_recalls(*both)}" for name, both in found.items()),
        flush=True,
    )


def print_hops(walked: Sequence[SetWalks]) -> None:
    """Each set by the pieces of evidence of its questions; weights fitted on few are measured on many."""
    few, many = (
        [(of, rows) for of in walked if (rows := _with_pieces(of, wanted))]
        for wanted in (lambda count: count < MANY, lambda count: count >= MANY)
    )
    of_few, of_many = fit(few), fit(many)
    for of in walked:
        for pieces in sorted({len(gold) for gold in of.of.gold}):
            rows = _with_pieces(of, pieces.__eq__)
            print(f"{of.of.name}, {pieces} pieces of evidence: {len(rows)} questions")
            other = of_many if pieces < MANY else of_few
            what = f"fitted on {'3 and more' if pieces < MANY else '2'} pieces"
            for label, weights, rounds in (
                ("weights in the code", in_code(), AS_IN_CODE),
                (what, other, AS_IN_CODE),
                *((label, in_code(), rounds) for label, rounds in FURTHER),
            ):
                print(f"  {label:<28}{_format_recalls(*measure(of, rows, weights, rounds))}", flush=True)


def _with_pieces(of: SetWalks, wanted: Callable[[int], bool]) -> list[int]:
    return [row for row, gold in enumerate(of.of.gold) if wanted(len(gold))]


def print_folds(walked: Sequence[SetWalks]) -> None:
    """Weights fitted on four fifths of the questions, measured on the others."""
    random = np.random.default_rng(SEED)
    folds = [random.permutation(len(of.begun)) % FOLDS for of in walked]
    found: dict[str, list[tuple[Values, Values]]] = {of.of.name: [] for of in walked}
    for fold in range(FOLDS):
        kept = zip(walked, folds, strict=True)
        weights = fit([(of, np.flatnonzero(places != fold).tolist()) for of, places in kept])
        for of, places in zip(walked, folds, strict=True):
            found[of.of.name].append(measure(of, np.flatnonzero(places == fold).tolist(), weights))
    print(
        f"{f'{FOLDS} folds of questions':<32}"
        + "".join(
            f"{name:>10} {_format_recalls(*(np.concatenate(part) for part in zip(*many, strict=True)))}"
            for name, many in found.items()
        ),
        flush=True,
    )


def print_settings(sets: Sequence[DevelopmentSet], embed: Embed) -> None:
    """Each number of the settings halved and doubled, the weights as they are in the code."""
    for one in fields(GraphSettings):
        usual = getattr(DEFAULT, one.name)
        for factor in (0.5, 2.0):
            other = type(usual)(min(usual * factor, 0.9) if usual < 1 else usual * factor)
            walked = [first_walks(each, replace(DEFAULT, **{one.name: other}), embed) for each in sets]
            print_line(f"{one.name} {other}", in_code(), [(of, range(len(of.begun))) for of in walked])


def print_features(everything: Sequence[tuple[SetWalks, Sequence[int]]]) -> None:
    """The weights fitted anew without each feature of the second sum."""
    for name in BESIDE:
        print_line(f"without {name}", fit(everything, name), everything)


def print_walks(sets: Sequence[DevelopmentSet], embed: Embed) -> None:
    """How many rankings differ from those after walks to the end."""
    for one in sets:
        index = prepare_graph(one.snapshot, DEFAULT)
        found, wanted = (
            [
                [hit.chunk for hit in hits]
                for hits in search_graph(one.snapshot, by, one.questions, embed, DEPTH)
            ]
            for by in (index, replace(index, settings=TO_THE_END))
        )
        print(f"{one.name}: {len(found)} questions")
        for what, rankings in (("walks that leave mass", found), ("walks to the end", wanted)):
            recalls, alls = zip(*map(_measure, rankings, one.gold), strict=True)
            print(f"  {what:<22} {_format_recalls(np.array(recalls), np.array(alls))}")
        pairs = list(zip(found, wanted, strict=True))
        print(f"  another order of {DEPTH}    {sum(a != b for a, b in pairs)}")
        print(f"  another order of 5     {sum(a[:5] != b[:5] for a, b in pairs)}")
        print(f"  other chunks in {DEPTH}     {sum(set(a) != set(b) for a, b in pairs)}", flush=True)


def _measure(found: Sequence[str], gold: Sequence[frozenset[str]]) -> tuple[float, float]:
    """Recall@5 and AllGold@10 of a ranking."""
    recall = sum(not piece.isdisjoint(found[:5]) for piece in gold) / len(gold)
    return recall, float(all(not piece.isdisjoint(found) for piece in gold))


def remembering(embed: Embed) -> Embed:
    """An embedder that embeds each text once."""
    known: dict[str, Vectors] = {}

    def embed_once(texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, embed(new), strict=True))
        return np.array([known[text] for text in texts], np.float32)

    return embed_once


def _choose(
    parts: Sequence[tuple[SetWalks, Sequence[int]]],
) -> Iterator[tuple[SetWalks, FirstWalk, Marks, float]]:
    for of, rows in parts:
        for row in rows:
            yield of, of.begun[row], _is_gold(of, row, of.begun[row].candidates), 1 / len(rows)


def _follow(of: SetWalks, begun: FirstWalk, first: Values) -> SecondWalk:
    scores = alone(of.index.library, begun.sought, begun.candidates) @ first
    return follow(of.index, begun, anchors_of(begun.candidates, scores))


def _is_gold(of: SetWalks, row: int, candidates: Candidates) -> Marks:
    gold = frozenset[str]().union(*of.of.gold[row])
    return np.array([of.of.snapshot.chunks.ids[chunk] in gold for chunk in candidates.chunks], dtype=np.bool_)


def _without(values: Values, columns: Sequence[str], name: str) -> Values:
    return np.where(np.array([column == name for column in columns])[None, :], 0.0, values)


def _format_recalls(recalls: Values, alls: Values) -> str:
    return f"{100 * recalls.mean():5.1f} /{100 * alls.mean():5.1f}"


if __name__ == "__main__":
    main()
