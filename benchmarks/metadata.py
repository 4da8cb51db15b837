"""What is recognised of sources, days, authors and categories in the 500 sample questions of MultiHop-RAG.

    python -m benchmarks.metadata [--without-search]

Reads multihop_rag/sample500_*.json below the shared data folder (HOPGRADE_SHARED, or ../shared). The articles
can't be had, so the metadata of all evidence stands for what the corpus has, and in the last table the facts
of all evidence, with their titles, stand for its chunks: it compares policies, and says nothing of how well
the real corpus can be searched.
"""

import argparse
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from kg.embed.choose import make_embedder
from kg.extract.dates import MONTHS
from kg.settings import Settings
from services.rag.metadata import (
    POLICY,
    DatePolicy,
    Days,
    MetadataIndex,
    find_days,
    index_metadata,
    recognise,
)
from services.rag.metadata_names import name_mentions
from services.rag.protocol import Filters, Hit, RagQuestion
from services.rag.retrieval.metadata import OPEN_WEIGHT, WIDE_WEIGHT, MetadataRetriever

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("HOPGRADE_SHARED", ROOT.parent / "shared")) / "data" / "multihop_rag"
POLICIES: tuple[DatePolicy, ...] = ("never", "published", "reported", "always")
WEIGHTS = ((0.0, 0.0), (0.0, 0.25), (0.5, 0.0), (0.5, 0.25), (0.5, 0.5), (1.0, 0.0))
"""Of the searches without the days, and of the one without filters."""

LIMIT, FEW = 10, 4


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact with the metadata of its article; `day` is an ISO date."""

    fact: str
    title: str
    source: str
    category: str
    author: str
    day: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its evidence; a null question has none."""

    text: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """A retriever over all facts by the cosine of their vectors; filters are exact."""

    evidence: Sequence[Evidence]
    vectors: NDArray[np.float32]
    name: str = f"facts-of-evidence-{LIMIT}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """The nearest facts that the filters let through; a chunk's name is its fact's number."""
        return [list(self._hits(question)) for question in questions]

    def _hits(self, question: RagQuestion) -> Iterator[Hit]:
        scores = self.vectors @ question.vector
        allowed = (
            number for number in np.argsort(-scores) if lets_through(question.filters, self.evidence[number])
        )
        for number, _ in zip(allowed, range(LIMIT), strict=False):
            yield Hit(f"{number:05}", float(scores[number]))


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--without-search", action="store_true", help="leave out the table that embeds facts")
    given = parser.parse_args()
    if not FOLDER.is_dir():
        print(f"no sample of MultiHop-RAG at {FOLDER}: nothing is measured.")
        return
    questions = read_sample(FOLDER)
    everything = list(dict.fromkeys(one for question in questions for one in question.evidence))
    index = index_of(everything)
    answerable = [question for question in questions if question.evidence]
    null = [question for question in questions if not question.evidence]
    print(f"{len(answerable)} questions with evidence, {len(null)} null questions; {len(everything)} facts\n")
    print_sources(answerable, index)
    print_days(answerable, index)
    print_rest(answerable, everything, index)
    print_null(answerable, null, index)
    print_let_through(answerable, everything, index)
    if not given.without_search:
        print_search(answerable, everything, index)


def read_sample(folder: Path) -> list[Question]:
    """The questions with the metadata of their evidence, in the order of the file."""
    queries = json.loads((folder / "sample500_queries.json").read_text(encoding="utf-8"))["queries"]
    truth = json.loads((folder / "sample500_ground_truth.json").read_text(encoding="utf-8"))
    return [
        Question(query["question"], tuple(map(_evidence, truth[query["id"]]["evidence_list"])))
        for query in queries
    ]


def _evidence(cells: Mapping[str, str | None]) -> Evidence:
    names = ("fact", "title", "source", "category", "author")
    fact, title, source, category, author = (cells[name] or "" for name in names)
    return Evidence(fact, title, source, category, author, (cells["published_at"] or "")[:10])


def index_of(evidence: Sequence[Evidence]) -> MetadataIndex:
    """What a corpus of these articles has."""
    return index_metadata(
        sorted({one.source for one in evidence}),
        sorted({one.category for one in evidence}),
        sorted({one.author for one in evidence}),
        min(one.day for one in evidence),
        max(one.day for one in evidence),
    )


def lets_through(filters: Filters, one: Evidence) -> bool:
    """Whether filters let an article through; names of the index are spelled as the article's."""
    named = (
        (filters.sources, one.source),
        (filters.categories, one.category),
        (filters.authors, one.author),
    )
    return (
        all(not names or value in names for names, value in named)
        and filters.since <= one.day
        and (not filters.until or one.day <= filters.until)
    )


def print_sources(questions: Sequence[Question], index: MetadataIndex) -> None:
    """Precision over the sources recognised, recall over those of the evidence that the text names."""

    def anything(text: str) -> list[tuple[str, ...]]:
        return [one.values for one in name_mentions(text, index.sources)]

    def recognise_sources(text: str) -> list[tuple[str, ...]]:
        return [one.sources for one in recognise(text, index).reports if one.sources]

    print(f"{'sources':<34}{'recognised':>11}{'right':>7}{'precision':>11}{'named':>7}{'recall':>8}")
    rules: dict[str, Callable[[str], list[tuple[str, ...]]]] = {
        "every name of a source": anything,
        "in frames, as used": recognise_sources,
    }
    for title, rule in rules.items():
        found = right = named = got = 0
        for question in questions:
            gold = {one.source for one in question.evidence}
            groups = set(rule(question.text))
            found += len(groups)
            right += sum(not gold.isdisjoint(group) for group in groups)
            wanted = {source for source in gold if head_of(source) in fold(question.text)}
            named += len(wanted)
            got += sum(any(source in group for group in groups) for source in wanted)
        print(f"{title:<34}{found:>11}{right:>7}{right / found:>11.1%}{named:>7}{got / named:>8.1%}")
    print()


def print_days(questions: Sequence[Question], index: MetadataIndex) -> None:
    """Precision over the days recognised, recall over the days of the evidence that stand in the text."""
    print(f"{'days':<34}{'recognised':>11}{'right':>7}{'precision':>11}{'named':>7}{'recall':>8}")
    frames = {
        "published": {"published"},
        "reported": {"published", "reported"},
        "always": {"published", "reported", "none"},
    }
    for policy, counted in frames.items():
        found = right = named = got = 0
        for question in questions:
            days = [
                one
                for one in find_days(question.text, index.first_day, index.last_day)
                if one.frame in counted
            ]
            gold = {one.day for one in question.evidence}
            found += len(days)
            right += sum(any(holds(one, day) for day in gold) for one in days)
            wanted = {day for day in gold if any(form in question.text for form in forms_of(day))}
            named += len(wanted)
            got += sum(any(holds(one, day) for one in days) for day in wanted)
        print(f"{policy:<34}{found:>11}{right:>7}{right / found:>11.1%}{named:>7}{got / named:>8.1%}")
    print()


def print_rest(questions: Sequence[Question], everything: Sequence[Evidence], index: MetadataIndex) -> None:
    """How often authors and categories are named and recognised."""
    fields: dict[str, Callable[[Evidence], str]] = {
        "authors": lambda one: one.author,
        "categories": lambda one: one.category,
    }
    for title, field in fields.items():
        recognised = right = named = 0
        for question in questions:
            gold = {field(one) for one in question.evidence} - {""}
            found = {name for one in recognise(question.text, index).reports for name in getattr(one, title)}
            recognised += len(found)
            right += len(found & gold)
            named += sum(re.search(rf"\b{re.escape(name)}\b", question.text) is not None for name in gold)
        known = len({field(one) for one in everything} - {""})
        print(
            f"{title}: {known} known; {named} of the evidence stand in their question's text, as whatever; "
            f"{recognised} recognised, {right} right"
        )
    print()


def print_null(answerable: Sequence[Question], null: Sequence[Question], index: MetadataIndex) -> None:
    """What null questions name, and sources that are said to be lacking."""
    found = [recognise(question.text, index) for question in null]
    print(f"null questions: {sum(bool(one.reports) for one in found)} name a source that the corpus has,")
    print(f"  {sum(bool(one.lacking) for one in found)} a source that it lacks,")
    print(f"  {sum(bool(one.reports and one.lacking) for one in found)} one of each,")
    print(f"  {sum(not one.reports and not one.lacking for one in found)} nothing that is recognised")
    wrong = sum(bool(recognise(question.text, index).lacking) for question in answerable)
    print(f"questions with evidence that are said to name a source that is lacking: {wrong}\n")


def print_let_through(
    questions: Sequence[Question], everything: Sequence[Evidence], index: MetadataIndex
) -> None:
    """What is left of evidence and corpus inside the filters, over the questions that have filters."""
    titles = f"{'days that filter':<18}{'questions':>10}{'searches':>10}{'evidence':>10}"
    print(f"{titles}{'all of it':>11}{'facts':>8}")
    for policy in POLICIES:
        kept: list[float] = []
        complete: list[bool] = []
        share: list[float] = []
        searches: list[int] = []
        for question in questions:
            reports = recognise(question.text, index, policy).reports
            # As the retriever does: filters that nothing fits are made wider.
            reports = tuple(
                one if any(lets_through(one, other) for other in everything) else Filters(sources=one.sources)
                for one in reports
            )
            if not reports:
                continue
            inside = [any(lets_through(one, other) for one in reports) for other in question.evidence]
            kept += map(float, inside)
            complete.append(all(inside))
            share.append(fmean(any(lets_through(one, other) for one in reports) for other in everything))
            searches.append(len(reports))
        print(
            f"{policy:<18}{len(share):>10}{fmean(searches):>10.2f}{fmean(kept):>10.1%}"
            f"{fmean(complete):>11.1%}{fmean(share):>8.1%}"
        )
    print()


def print_search(questions: Sequence[Question], everything: Sequence[Evidence], index: MetadataIndex) -> None:
    """Recall of the evidence, and how often all of it is among the first facts, by policy.

    First over all questions, then over those alone that name days.
    """
    embedder = make_embedder("builtin", Settings())
    inner = Facts(everything, embedder.embed([f"{one.title}\n{one.fact}" for one in everything]))
    vectors = embedder.embed_queries([one.text for one in questions])
    asked = [RagQuestion(one.text, one.text, vector) for one, vector in zip(questions, vectors, strict=True)]
    numbers = {one: f"{number:05}" for number, one in enumerate(everything)}
    gold = [{numbers[one] for one in question.evidence} for question in questions]
    dated = [any(one.since or one.until for one in recognise(q.text, index).reports) for q in questions]
    measures = "".join(
        f"{name}@{count:<3}".rjust(13) for count in (FEW, LIMIT) for name in ("Recall", "AllGold")
    )
    for title, chosen in (
        (f"{len(asked)} questions", [True] * len(asked)),
        (f"{sum(dated)} with days", dated),
    ):
        print(f"{title:<18}{'wide, open':>12}{measures}")
        places = [place for place, one in enumerate(chosen) if one]
        some, wanted = [asked[place] for place in places], [gold[place] for place in places]
        _print_line("no filters", "", wanted, inner.retrieve(some))
        for policy in POLICIES:
            for wide, unfiltered in WEIGHTS:
                if policy == "never" and wide:
                    continue
                retriever = MetadataRetriever(inner, index, LIMIT, policy, wide, unfiltered)
                _print_line(policy, f"{wide}, {unfiltered}", wanted, retriever.retrieve(some))
        print()
    print(f"used: {POLICY}, {WIDE_WEIGHT}, {OPEN_WEIGHT}")


def _print_line(title: str, weights: str, gold: Sequence[set[str]], found: Sequence[Sequence[Hit]]) -> None:
    cells = ""
    for count in (FEW, LIMIT):
        shares = [
            len(wanted & {hit.chunk for hit in hits[:count]}) / len(wanted)
            for wanted, hits in zip(gold, found, strict=True)
        ]
        cells += f"{fmean(shares):>13.1%}{fmean(one == 1 for one in shares):>13.1%}"
    print(f"{title:<18}{weights:>12}{cells}")


def holds(days: Days, day: str) -> bool:
    """Whether a day is one of these."""
    return days.since <= day and (not days.until or day <= days.until)


def forms_of(day: str) -> tuple[str, ...]:
    """The ways in which a text may name a day so that it can be told from others."""
    year, month, number = map(int, day.split("-"))
    name = MONTHS[month - 1]
    ordinals = (f"{name} {number}{ending}" for ending in ("st", "nd", "rd", "th"))
    return (day, f"{name} {number}, {year}", f"{number} {name}", f"{name} {number} ", *ordinals)


def head_of(source: str) -> str:
    """The name of a source without its section, as it is compared."""
    return re.split(r" [-|] |: ", fold(source), maxsplit=1)[0]


def fold(text: str) -> str:
    """A text without regard to case."""
    return text.casefold()


if __name__ == "__main__":
    main()
