"""Questions with the places of their evidence in the bodies of articles, whatever way these are cut."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from kg.errors import NothingToDoError
from kg.model import Span
from kg.queries import query
from kg.store.graph import Graph, Row
from services.benchmarks.match_gold import FoundGold, match_gold
from services.benchmarks.question import BenchmarkQuestion
from services.benchmarks.question_files import read_questions

QUESTIONS_A_BATCH = 500


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of an article's body."""

    article: str
    span: Span


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of evidence: any of its places will do. `fact` is the set's own words, empty where unknown."""

    places: tuple[Place, ...]
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Supported:
    """A question with at least one piece of evidence in the corpus."""

    id: str
    text: str
    evidence: tuple[Evidence, ...]


def questions_of_corpus(graph: Graph, corpus: str) -> list[Supported]:
    """The kept questions in the graph that have evidence, made or imported.

    Evidence of a made question are the sentences that state its facts; of an imported one, the chunks in
    which its evidence was found, whose words the graph does not keep.

    Raises:
        NothingToDoError: there is none.
    """
    rows = graph.rows(query("benchmarks/list_questions"), corpus=corpus)
    ids = [row["id"] for row in rows]
    stated = _places(graph.read_in_batches(query("ratings/read_sentences"), ids, QUESTIONS_A_BATCH))
    rest = [id_ for id_ in ids if id_ not in stated]
    held = _places(graph.read_in_batches(query("benchmarks/read_support"), rest, QUESTIONS_A_BATCH))
    places = {**held, **stated}
    found = [
        Supported(row["id"], row["text"], tuple(Evidence(tuple(each)) for each in places[row["id"]].values()))
        for row in rows
        if row["id"] in places
    ]
    if not found:
        raise NothingToDoError(
            f"corpus {corpus!r} has no question with evidence.",
            f"Make some: kg questions make --corpus {quote(corpus)}, or name a file: --questions FILE.",
        )
    return with_facts(graph, found, stated)


def questions_of_file(graph: Graph, corpus: str, path: Path, form: str = "") -> tuple[list[Supported], int]:
    """The questions of a set's own file, with evidence as far as the corpus holds it, and how many have none.

    Raises:
        InputError: the file can't be read.
        NothingToDoError: none of the questions has evidence in the corpus.
    """
    rows = read_questions(path, form)
    questions = [row for row in rows if isinstance(row, BenchmarkQuestion) and row.gold]
    matched = match_gold(graph, corpus, questions)
    chunks = sorted({chunk for one in matched.questions for found in one.found for chunk in found.chunks})
    places = {
        row["id"]: Place(row["article"], Span(row["start"], row["end"]))
        for row in graph.read_in_batches(query("benchmarks/read_places"), chunks)
    }
    bodies = read_bodies(graph, {place.article for place in places.values()})
    supported = [
        Supported(
            one.question.id,
            one.question.text,
            tuple(_evidence(found, places, bodies) for found in one.found),
        )
        for one in matched.questions
        if one.found
    ]
    if not supported:
        raise NothingToDoError(
            f"no question of {path} has evidence in corpus {corpus!r}.",
            "Give the questions that belong to the articles of the corpus.",
        )
    return supported, len(questions) - len(supported)


def with_facts(graph: Graph, questions: Sequence[Supported], stated: Iterable[str]) -> list[Supported]:
    """The questions, of which those `stated` get the sentences themselves as facts."""
    known = set(stated)
    articles = {one.places[0].article for each in questions if each.id in known for one in each.evidence}
    bodies = read_bodies(graph, articles)
    return [
        Supported(
            each.id,
            each.text,
            tuple(Evidence(one.places, _words_at(one.places[0], bodies)) for one in each.evidence),
        )
        if each.id in known
        else each
        for each in questions
    ]


def read_bodies(graph: Graph, articles: Iterable[str]) -> dict[str, str]:
    """The bodies of some articles."""
    found = graph.read_in_batches(query("articles/read_bodies"), sorted(articles), 200)
    return {row["id"]: row["body"] for row in found}


def _evidence(found: FoundGold, places: Mapping[str, Place], bodies: Mapping[str, str]) -> Evidence:
    """The words themselves where an article has them as they are, else the chunks that were found to."""
    chunks = tuple(places[chunk] for chunk in found.chunks)
    fact = found.gold.text
    exact = tuple(
        Place(article, Span(start, start + len(fact)))
        for article in dict.fromkeys(place.article for place in chunks)
        if fact and (start := bodies[article].find(fact)) >= 0
    )
    return Evidence(exact or chunks, fact)


def _places(rows: Iterable[Row]) -> dict[str, dict[int, list[Place]]]:
    """Places by question and hop."""
    found: dict[str, dict[int, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        place = Place(row["article"], Span(row["start"], row["end"]))
        found[row["question"]][row["hop"]].append(place)
    return found


def _words_at(place: Place, bodies: Mapping[str, str]) -> str:
    return bodies[place.article][place.span.start : place.span.end]
