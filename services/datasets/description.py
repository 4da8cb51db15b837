"""What a dataset is like, in figures: its articles, the types of its questions, their evidence and answers.

Tables 2 to 4 of MultiHop-RAG and the shares of first words (Tang and Yang 2024, section 3.2).

The dataset card: README.md with the front matter that Hugging Face reads, and the counts.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import cast

from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import NULL, counted_kind
from services.datasets.folder import Json
from services.datasets.source import ALL, Dataset, DatasetFormat

OPPOSITES = (("yes", "no"), ("before", "after"))
"""Answers of opposite value, of which neither should be the better guess."""
WORDS_LISTED = 10
OTHERS = "others"

_FIRST_WORD = re.compile(r"\w+(?:['\u2019]\w+)?")


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """Articles of a category, "" for those without one, and their mean length in tokens of our tokeniser."""

    category: str
    articles: int
    mean_tokens: float


@dataclass(frozen=True, slots=True)
class CountRow:
    """How many of the kept questions are of a sort, and which share of them."""

    name: str
    questions: int
    share: float


@dataclass(frozen=True, slots=True)
class BalanceRow:
    """Answers of opposite value to questions of a type: as made, and as filters and reviewers left them.

    `share` is that of the first of both among the kept, None where none is.
    """

    query_type: str
    answers: tuple[str, str]
    made: tuple[int, int]
    kept: tuple[int, int]
    share: float | None


@dataclass(frozen=True, slots=True)
class DatasetStatistics:
    """A corpus and its kept questions in figures; `total` is of all articles.

    `evidence` counts the pieces of evidence of a question, 0 for null ones, whose answer nothing holds.
    """

    categories: tuple[CategoryRow, ...]
    total: CategoryRow
    types: tuple[CountRow, ...]
    evidence: tuple[CountRow, ...]
    first_words: tuple[CountRow, ...]
    balance: tuple[BalanceRow, ...]


def read_statistics(graph: Graph, corpus: str) -> DatasetStatistics:
    """The figures of a corpus; every table of questions is empty where none is kept.

    Articles and their mean tokens by category, kept questions by type and by pieces of evidence, shares of
    first words (MultiHop-RAG, section 3.2 with tables 2 to 4), and, for types whose answers are one of two
    opposite values, how many have each: as made (section 3.1), and as filters and reviewers left them.
    """
    articles, tokens = Counter[str](), Counter[str]()
    for row in graph.rows(query("search/list_shelves"), corpus=corpus):
        articles[row["category"]] += row["articles"]
        tokens[row["category"]] += row["tokens"]
    largest_first = sorted(articles, key=lambda category: (-articles[category], category))
    rows = [CategoryRow(one, articles[one], tokens[one] / articles[one]) for one in largest_first]
    questions = graph.rows(query("questions/list_described"), corpus=corpus)
    return describe(rows, questions)


def describe(categories: Sequence[CategoryRow], questions: Sequence[Row]) -> DatasetStatistics:
    """The figures, given the articles by category and the rows of `questions/list_described`."""
    articles = sum(row.articles for row in categories)
    tokens = fsum(row.articles * row.mean_tokens for row in categories)
    kept = [row for row in questions if row["kept"]]
    return DatasetStatistics(
        categories=tuple(categories),
        total=CategoryRow("total", articles, tokens / articles if articles else 0.0),
        types=_count_rows(_sums(_type, kept)),
        evidence=tuple(sorted(_count_rows(_sums(_pieces, kept)), key=lambda row: int(row.name))),
        first_words=_first(_count_rows(_sums(_word, kept))),
        balance=tuple(_balance(questions)),
    )


def first_word(question: str) -> str:
    """The first word of a question in lower case, "" where it has none."""
    found = _FIRST_WORD.search(question)
    return found[0].casefold() if found else ""


def statistics_json(found: DatasetStatistics) -> dict[str, Json]:
    """The figures as plain values."""
    return cast(dict[str, Json], _plain(asdict(found)))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _type(row: Row) -> str:
    return str(row["query_type"] or row["kind"])


def _pieces(row: Row) -> str:
    return "0" if counted_kind(row["kind"], row["query_type"]) == NULL else str(row["pieces"])


def _word(row: Row) -> str:
    return first_word(row["text"])


def _sums(name: Callable[[Row], str], questions: Iterable[Row]) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in questions:
        found[name(row)] += row["questions"]
    return found


def _count_rows(counts: Counter[str]) -> tuple[CountRow, ...]:
    whole = counts.total()
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return tuple(CountRow(name, counts[name], counts[name] / whole) for name in order)


def _first(rows: Sequence[CountRow]) -> tuple[CountRow, ...]:
    shown, rest = rows[:WORDS_LISTED], rows[WORDS_LISTED:]
    if not rest:
        return tuple(shown)
    others = CountRow(OTHERS, sum(row.questions for row in rest), fsum(row.share for row in rest))
    return (*shown, others)


def _balance(questions: Sequence[Row]) -> Iterable[BalanceRow]:
    made: Counter[tuple[str, str]] = Counter()
    kept: Counter[tuple[str, str]] = Counter()
    for row in questions:
        key = (_type(row), row["answer"].strip(" .").casefold())
        made[key] += row["questions"]
        kept[key] += row["questions"] if row["kept"] else 0
    for query_type in sorted({name for name, _ in made}):
        for one, other in OPPOSITES:
            drawn = (made[query_type, one], made[query_type, other])
            left = (kept[query_type, one], kept[query_type, other])
            if any(drawn):
                share = left[0] / sum(left) if any(left) else None
                yield BalanceRow(query_type, (one, other), drawn, left, share)


CARD = "README.md"
UNKNOWN_LICENCE = "unknown"
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")
_HUB_LICENCE = re.compile(
    r"unknown|cc|cc0-1\.0|cc-by(-nc)?(-sa|-nd)?-[234]\.[05]|odc-by|odbl|pddl|etalab-2\.0|gfdl|mit|apache-2\.0"
)
"""Licences of texts that Hugging Face knows by these names; it takes others as "other", with their name."""
_NOT_IN_LICENCE = re.compile(r"[^a-z0-9.]+")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


def card_text(
    form: DatasetFormat,
    dataset: Dataset,
    facts: Mapping[str, Json],
    licence: str,
    drawn: Mapping[str, Json],
    splits: Sequence[Mapping[str, Json]],
) -> str:
    """The card of an export: what it is, how it was made, what may be done with it.

    `facts` are of the corpus, `drawn` is what this export was drawn with.
    """
    blocks = [
        _front_matter(form, dataset, licence),
        f"# {_text(dataset.corpus)}",
        f"Multi-hop questions over the articles of a corpus, in the format {_code(form.name)}: "
        f"{_text(form.summary)}. Made by Hopgrade; version of the questions {_code(str(facts['dataset']))}. "
        "`manifest.json` holds a checksum of every file.",
        "## Counts",
        "\n".join(_split_table(splits)),
        "Questions by kind and hops, with those for which the format has no place:",
        "\n".join(_kind_table(dataset)),
        *_statistics(facts.get("statistics")),
        "## How the questions were chosen",
        *_funnel(facts["funnel"]),
        "\n".join(_borders(facts.get("borders", []))),
        "## How it was made",
        "\n".join(_settings(facts)),
        "Of this export:",
        "\n".join(_list_settings(drawn)),
        "## Licence",
        _licence(licence),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _front_matter(form: DatasetFormat, dataset: Dataset, licence: str) -> str:
    # JSON strings are YAML strings, whatever stands in them.
    return (
        f"---\n{licence_lines(licence)}\npretty_name: {json.dumps(dataset.corpus, ensure_ascii=False)}\n"
        f"size_categories:\n  - {_size(len(dataset.question_ids()))}\n"
        "task_categories:\n  - question-answering\ntags:\n  - multi-hop\n  - retrieval-augmented-generation\n"
        f"{form.card(dataset.names)}---"
    )


def licence_lines(licence: str) -> str:
    """The front matter's lines for a licence."""
    name = _NOT_IN_LICENCE.sub("-", licence.lower()).strip("-")
    if _HUB_LICENCE.fullmatch(name):
        return f"license: {json.dumps(name)}"
    return f'license: "other"\nlicense_name: {json.dumps(name)}'


def _size(questions: int) -> str:
    """Hugging Face's name for a dataset of so many rows."""
    return next((name for bound, name in _SIZES if questions < bound), "100K<n<1M")


def _split_table(splits: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    yield "| split | articles | questions | left out: in two splits | left out: no place here |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for split in splits:
        left = split["left_out"]
        number = sum(n for n in left.values() if isinstance(n, int)) if isinstance(left, dict) else 0
        yield (
            f"| {split['name'] or 'all'} | {split['articles']} | {split['questions']} "
            f"| {split['straddling']} | {number} |"
        )
    reasons = sorted(
        {reason for split in splits if isinstance(split["left_out"], dict) for reason in split["left_out"]}
    )
    if reasons:
        yield f"\nThe format has no place for a question that {_text(', or '.join(reasons))}."


def _kind_table(dataset: Dataset) -> Iterator[str]:
    yield "| split | kind | hops | questions |"
    yield "| --- | --- | ---: | ---: |"
    for split in dataset.names:
        for (kind, hops), number in dataset.count_kinds(split).items():
            yield f"| {split or 'all'} | {_text(kind)} | {hops} | {number} |"


def _statistics(found: Json) -> Iterator[str]:
    """Tables 2 to 4 of MultiHop-RAG, first words, and how even answers are; of the whole corpus."""
    if not isinstance(found, dict):
        return
    yield "## Statistics"
    yield "Of the whole corpus, with tokens of Hopgrade's tokeniser."
    total = found["total"]
    categories = [*_rows(found["categories"]), *([total] if isinstance(total, dict) else [])]
    yield "\n".join(
        (
            "| category | mean tokens | articles |\n| --- | ---: | ---: |",
            *(
                f"| {_text(str(row['category'])) or 'none given'} | {cast(float, row['mean_tokens']):.1f} "
                f"| {row['articles']} |"
                for row in categories
            ),
        )
    )
    for head, name in (("type", "types"), ("pieces of evidence", "evidence"), ("first word", "first_words")):
        lines = (
            f"| {_text(str(row['name']))} | {row['questions']} | {100 * cast(float, row['share']):.2f} % |"
            for row in _rows(found[name])
        )
        yield "\n".join((f"| {head} | questions | share |\n| --- | ---: | ---: |", *lines))
    if balance := _rows(found["balance"]):
        lines = (
            f"| {_text(str(row['query_type']))} | {_listing(row['answers'])} | {_listing(row['made'])} "
            f"| {_listing(row['kept'])} |"
            for row in balance
        )
        yield "\n".join(("| type | answers | made | kept |\n| --- | --- | ---: | ---: |", *lines))


def _rows(value: Json) -> list[dict[str, Json]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _listing(values: Json) -> str:
    return " / ".join(map(str, values)) if isinstance(values, list) else ""


def _funnel(funnel: Json) -> Iterator[str]:
    if not funnel:
        yield "They were imported as they are: no filter of Hopgrade chose them."
        return
    yield "Every question that was made went through filters; those that fell are not here."
    yield "\n".join(_funnel_table(funnel))


def _funnel_table(funnel: Json) -> Iterator[str]:
    yield "| kind | hops | made | fell | kept |"
    yield "| --- | ---: | ---: | --- | ---: |"
    for column in funnel if isinstance(funnel, list) else ():
        if isinstance(column, dict):
            fell = column["fell"] if isinstance(column["fell"], dict) else {}
            text = ", ".join(f"{_text(name)} {number}" for name, number in fell.items())
            yield (
                f"| {_text(str(column['kind']))} | {column['hops'] or ''} | {column['drawn']} | {text} "
                f"| {column['kept']} |"
            )


def _borders(borders: Json) -> Iterator[str]:
    """Which share of the questions crosses geographic, temporal and other borders."""
    shares = [one for one in borders if isinstance(one, dict)] if isinstance(borders, list) else []
    if not shares:
        return
    yield "Questions whose evidence must cross borders between clusters, whichever chunk shows a hop:\n"
    yield "| border | questions | crossing one or more | by number of crossings |"
    yield "| --- | ---: | ---: | --- |"
    for one in shares:
        numbers = one["by_crossings"] if isinstance(one["by_crossings"], dict) else {}
        text = ", ".join(f"{crossings}: {number}" for crossings, number in numbers.items())
        yield f"| {_text(str(one['border']))} | {one['questions']} | {one['crossing']} | {text} |"


def _settings(facts: Mapping[str, Json]) -> Iterator[str]:
    """Models, prompts, seeds and sizes, as the corpus remembers them."""
    generators = facts["generators"]
    for generator in generators if isinstance(generators, list) else ():
        yield f"- questions written by {_code(str(generator))}"
    settings = facts["settings"]
    yield from _list_settings(settings if isinstance(settings, dict) else {})


def _list_settings(settings: Mapping[str, Json]) -> Iterator[str]:
    for name, value in settings.items():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if shown:
            yield f"- {_text(name.replace('_', ' '))}: {_code(shown)}"


def _licence(licence: str) -> str:
    text = (
        "The licence of the articles was not told when this was exported: ask their publishers before you "
        "pass it on."
        if licence == UNKNOWN_LICENCE
        else f"The articles are under {_text(licence)}; so is what quotes them here."
    )
    return f"{text} A question and its answer are derived from the articles."


def _text(text: str) -> str:
    """A text as Markdown shows it, whatever stands in it."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    """A text as code; backticks in it would end it."""
    return f"`{' '.join(text.replace('`', chr(39)).split())}`"


def split_counts(dataset: Dataset, left_out: Mapping[str, Mapping[str, int]]) -> list[dict[str, Json]]:
    """For each split its articles, the questions that were written, and those left out by reason."""
    rows: list[dict[str, Json]] = []
    for split in dataset.names:
        fell = dict(sorted(left_out.get(split, {}).items()))
        rows.append(
            {
                "name": split if split != ALL else "",
                "articles": len(dataset.article_ids(split)),
                "questions": len(dataset.question_ids(split)) - sum(fell.values()),
                "straddling": dataset.splits.straddling[split],
                "left_out": dict(fell),
            }
        )
    return rows
