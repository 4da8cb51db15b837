"""Answers of Microsoft GraphRAG: what its query functions return, with the context as lists of records.

    response, context = await graphrag.api.local_search(..., query=question)
    row = {"query": question, "response": response,
           "context_data": graphrag.utils.api.reformat_context_data(context)}

Fields of its `SearchResult` are read too (completion_time, prompt_tokens, output_tokens). Texts are those of
"sources"; a DRIFT search has such a context for each of its own questions, which become steps. Where there
are no texts, the numbers of the sources, in the context or in citations as [Data: Sources (15, 16)], are
looked up in the index's text_units.parquet, if it lies beside the file. Community reports, entities and
relationships are a model's words, no texts of articles: they are counted in a step.

The text units of a Microsoft GraphRAG index: text_units.parquet, beside a file or in `output` there.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from kg.errors import InputError, SettingsError
from kg.model import Reject
from kg.own_system import OwnAnswer, OwnStep, RetrievedText
from services.benchmarks.formats.cells import Cells, RowTroubleError, number, text
from services.systems.formats.rows import read_rows
from services.systems.replies import AnswerRow

FILE = "text_units.parquet"
_COLUMNS = ("id", "human_readable_id", "text")
_REMEDY = "Copy it anew from the index's output folder."


def find_text_units(answers: Path) -> Path | None:
    """Where the text units of a file of answers are, if they are in one of the usual places."""
    places = (answers.parent / FILE, answers.parent / "output" / FILE)
    return next((place for place in places if place.is_file()), None)


def read_text_units(path: Path) -> Mapping[str, str]:
    """The text of each unit, by its id and by the number that GraphRAG's contexts and citations give it.

    Raises:
        InputError: the file is no Parquet file of text units.
        SettingsError: the package that reads Parquet is not installed.
    """
    try:
        from pyarrow import ArrowException  # noqa: PLC0415
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError as error:
        raise SettingsError(
            f"{path} can't be read: pyarrow is not installed.", "Install it: pip install 'hopgrade[parquet]'"
        ) from error
    try:
        with ParquetFile(path) as file:
            columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
            rows = file.read(columns).to_pylist()
    except (ArrowException, OSError) as error:
        raise InputError(f"{path}: it can't be read as Parquet: {error}.", _REMEDY) from error
    if "text" not in columns or len(columns) == 1:
        raise InputError(f"{path}: it has no columns id and text.", _REMEDY)
    return {
        str(row[key]): row["text"]
        for key in columns
        if key != "text"
        for row in rows
        if row["text"] is not None and row[key] is not None
    }


KINDS = ("reports", "entities", "relationships", "claims", "sources")
"""The tables of a context."""

_CITATION = re.compile(
    r"\s*\[(?:Data:)?[^\[\]]*\b(?:Reports|Entities|Relationships|Claims|Sources) \([^\[\]]*\]"
)
_CITED_SOURCES = re.compile(r"\bSources \(([^)]*)\)")
_NUMBER = re.compile(r"\d+")


def read_graphrag(path: Path) -> Iterator[AnswerRow | Reject]:
    """The answers in a file of Microsoft GraphRAG's results.

    Raises:
        InputError: the file, or text_units.parquet beside it, can't be read at all.
        SettingsError: there are text units, and the package that reads Parquet is not installed.
    """
    place = find_text_units(path)
    units = {} if place is None else read_text_units(place)
    return read_rows(path, lambda cells: _answer(cells, units))


def _answer(cells: Cells, units: Mapping[str, str]) -> OwnAnswer:
    response = text(cells, "response", "result", "answer")
    contexts = _contexts(cells.get("context_data", cells.get("context")))
    retrieved = tuple(
        one
        for step, (_, context) in enumerate(contexts, 1)
        for source in _records(context.get("sources"))
        if (one := _source(source, step, units)) is not None
    )
    return OwnAnswer(
        _CITATION.sub("", response).strip(),
        retrieved or tuple(_cited(response, units)),
        tuple(OwnStep("retrieve", asked, _counts(context)) for asked, context in contexts),
        number(cells, "prompt_tokens"),
        number(cells, "output_tokens"),
        seconds=_seconds(cells.get("completion_time")),
        error="" if response else text(cells, "error") or "GraphRAG gave no answer",
    )


def _contexts(value: object) -> list[tuple[str, Cells]]:
    """The contexts of an answer, each with GraphRAG's own question for it, "" where it asked the user's."""
    if value is None or value == "":
        return []
    if not isinstance(value, dict):
        raise RowTroubleError("its context_data is not an object: save it with reformat_context_data")
    inner = [(asked, one) for asked, one in value.items() if asked not in KINDS and isinstance(one, dict)]
    outer = [("", value)] if any(kind in value for kind in KINDS) else []
    return [(asked, one) for asked, one in (*outer, *inner) if any(_records(one.get(k)) for k in KINDS)]


def _records(table: object) -> list[Cells]:
    """The records of a table: a list of objects, or values by column and row, as pandas writes them."""
    if isinstance(table, list):
        return [one for one in table if isinstance(one, dict)]
    if isinstance(table, dict) and table and all(isinstance(column, dict) for column in table.values()):
        rows = dict.fromkeys(row for column in table.values() for row in column)
        return [{name: column.get(row) for name, column in table.items()} for row in rows]
    return []


def _source(source: Cells, step: int, units: Mapping[str, str]) -> RetrievedText | None:
    # A local search may list candidates that did not fit into the prompt.
    if source.get("in_context") is False:
        return None
    known = text(source, "id", "source_id")
    said = text(source, "text") or units.get(known, "")
    return RetrievedText(said, chunk="" if said else f"text unit {known}", step=step)


def _cited(response: str, units: Mapping[str, str]) -> Iterator[RetrievedText]:
    listed = (one for group in _CITED_SOURCES.findall(response) for one in _NUMBER.findall(group))
    for known in dict.fromkeys(listed):
        yield RetrievedText(units.get(known, ""), chunk="" if known in units else f"text unit {known}")


def _counts(context: Cells) -> str:
    sizes = ((kind, len(_records(context.get(kind)))) for kind in KINDS)
    return ", ".join(f"{size} {kind}" for kind, size in sizes if size)


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
