"""Answers of LightRAG: results of `aquery_llm`, replies of its server's /query, and its own result files.

LightRAG's results don't repeat the question, so each row has it beside the result:

    {"query": "...", "result": {"status": "success", "data": {"chunks": [...]}, "llm_response": {...}}}
    {"query": "...", "result": {"response": "...", "references": [{"file_path": "...", "content": [...]}]}}
    {"query": "...", "result": "the answer alone"}

The first is what `aquery_llm` returns, the second what its server sends for /query (texts only with
include_chunk_content), the third what its script reproduce/Step_3.py writes. Without "result", the fields
stand in the row itself.

Files of answers, row by row: JSON lines, a JSON array, one object that is an answer itself, or a table (CSV
or TSV) whose header names the fields. In a table a list stands as JSON or as Python shows it, which is how
pandas writes it, or with one item a line; items may have columns of their own, `retrieved_1` and so on.

Answers of Microsoft GraphRAG: what its query functions return, with the context as lists of records.

    response, context = await graphrag.api.local_search(..., query=question)
    row = {"query": question, "response": response,
           "context_data": graphrag.utils.api.reformat_context_data(context)}

Fields of its `SearchResult` are read too (completion_time, prompt_tokens, output_tokens). Texts are those of
"sources"; a DRIFT search has such a context for each of its own questions, which become steps. Where there
are no texts, the numbers of the sources, in the context or in citations as [Data: Sources (15, 16)], are
looked up in the index's text_units.parquet, if it lies beside the file. Community reports, entities and
relationships are a model's words, no texts of articles: they are counted in a step.

The text units of a Microsoft GraphRAG index: text_units.parquet, beside a file or in `output` there.

Answers of HippoRAG: the `QuerySolution`s that `rag_qa` returns, as JSON.

    solutions, messages, metadata = hipporag.rag_qa(queries=questions)
    Path("answers.json").write_text(json.dumps([one.to_dict() for one in solutions]))

`to_dict` keeps five documents; a dump of all fields keeps all. Files that its first version wrote
(qa_reader.py) are read too: they have "retrieved" and "prediction", and "answer" is the gold answer.
"""

import json
import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from kg.errors import InputError, SettingsError, installation
from kg.ingest.json_rows import json_array_rows, json_line_rows, parse_row
from kg.ingest.rows import Encoding, RawRow, open_text
from kg.ingest.sniff import TABLE_SUFFIXES, text_encoding
from kg.ingest.text_rows import csv_columns, csv_rows
from kg.model import Reject
from kg.own_system import OwnAnswer, OwnStep, RetrievedText
from services.answers import INSUFFICIENT
from services.datasets.question import Cells, RowTroubleError, number, objects, text, texts
from services.external.replies import AnswerRow

AnswerReader = Callable[[Cells], OwnAnswer]
"""From a row's cells to the answer in it; a row without one is a `RowTroubleError`."""
FieldsOf = Callable[[Cells], Cells]
"""From a row's cells to the fields that they stand for; a row that has none is a `RowTroubleError`."""

IDS = ("question_id", "id", "_id")
QUESTIONS = ("question", "query")
"""Columns that tell which question was answered."""

_REMEDY = "Give a file with one JSON object for each answer, JSON lines or one array, or CSV with a header."
_MOST_CHARACTERS = 64_000_000
_WINDOW_CHARACTERS = 1 << 16


def read_rows(path: Path, read: AnswerReader, fields: FieldsOf | None = None) -> Iterator[AnswerRow | Reject]:
    """The answers of a file in its order, each with its place; a row that can't be used is a `Reject`.

    The columns of `IDS` and `QUESTIONS` tell which question a row answers. Where `fields` is given, question
    and answer are read from what it makes of the row.

    Raises:
        InputError: the file can't be read at all.
    """
    for row in _raw_rows(path):
        if isinstance(row, Reject):
            yield row
            continue
        try:
            cells = fields(row.cells) if fields else row.cells
            known, question = _read_question(cells)
            yield AnswerRow(known, question, read(cells), row.place)
        except RowTroubleError as error:
            yield Reject(row.place, str(error))


def _read_question(cells: Cells) -> tuple[str, str]:
    known, question = text(cells, *IDS), text(cells, *QUESTIONS)
    if not known and not question:
        raise RowTroubleError(f"it has none of {', '.join((*IDS, *QUESTIONS))}")
    return known, question


def _raw_rows(path: Path) -> Iterator[RawRow | Reject]:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file.", "Check the spelling of the path.")
    encoding = text_encoding(path)
    if not isinstance(encoding, str):
        raise InputError(f"{path}: {encoding.reason}.", _REMEDY)
    with open_text(path, encoding) as file:
        head = file.read(_WINDOW_CHARACTERS)
    if _is_table(path, head, encoding):
        yield from map(_with_values, csv_rows(path, encoding))
    elif head.lstrip().startswith("["):
        yield from json_array_rows(path, encoding)
    elif _has_lines(head):
        yield from json_line_rows(path, encoding)
    else:
        # An object that goes over several lines is one answer, as json.dump(..., indent=2) writes it.
        with open_text(path, encoding) as file:
            yield parse_row(file.read(_MOST_CHARACTERS), path, 1)


def _has_lines(head: str) -> bool:
    """Whether the first line with text is a whole object, or goes on beyond what was looked at."""
    first, line_end, _ = head.lstrip().partition("\n")
    return not line_end or first.rstrip().endswith("}")


_LISTS = ("retrieved", "steps")
_NUMBERS = ("input_tokens", "output_tokens", "cost", "seconds", "confidence")
_ITEM = re.compile(r"retrieved[_ ]?(\d+)")


def _is_table(path: Path, head: str, encoding: Encoding) -> bool:
    """Whether a file is a table by its suffix, or by a header that names how questions are known."""
    if head.lstrip()[:1] in ("[", "{"):
        return False
    if path.suffix.lower() in TABLE_SUFFIXES:
        return True
    try:
        columns = csv_columns(path, encoding)
    except InputError:
        return False
    return len(columns) > 1 and not {*IDS, *QUESTIONS}.isdisjoint(column.lower() for column in columns)


def _with_values(row: RawRow | Reject) -> RawRow | Reject:
    """A row of a table with lists and numbers in place of the texts that stand for them."""
    if isinstance(row, Reject):
        return row
    told = {name.lower(): str(value) for name, value in row.cells.items()}
    try:
        # A map may name a column as its header does.
        cells: dict[str, object] = {**row.cells, **with_values(told)}
    except RowTroubleError as error:
        return Reject(row.place, str(error))
    items = sorted((int(found[1]), told[name]) for name in told if (found := _ITEM.fullmatch(name)))
    if items and "retrieved" not in told:
        cells["retrieved"] = [item for _, item in items if item.strip()]
    return RawRow(row.place, cells)


def with_values(fields: Mapping[str, object]) -> dict[str, object]:
    """An answer's fields with lists and numbers in place of the texts that stand for them in a table.

    Raises:
        RowTroubleError: a text stands for neither.
    """
    values = dict(fields)
    for name, value in fields.items():
        if isinstance(value, str) and name in _LISTS:
            values[name] = _list(name, value)
        elif isinstance(value, str) and name in _NUMBERS:
            values[name] = _amount(name, value)
    return values


def _list(name: str, cell: str) -> object:
    """The list in a cell; an empty cell tells nothing."""
    if not cell.strip().startswith("["):
        return [line.strip() for line in cell.splitlines() if line.strip()] or None
    for read in (json.loads, literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return cast(object, read(cell.strip()))
    raise RowTroubleError(f'"{name}" begins as a list and is none, as JSON or as Python writes it')


def _amount(name: str, cell: str) -> float | None:
    try:
        return float(cell) if cell.strip() else None
    except ValueError as error:
        raise RowTroubleError(f'"{name}" is not a number') from error


FILE = "text_units.parquet"
_COLUMNS = ("id", "human_readable_id", "text")
_GRAPHRAG_REMEDY = "Copy it anew from the index's output folder."


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
            f"{path} can't be read: pyarrow is not installed.", f"Install it: {installation('parquet')}"
        ) from error
    try:
        with ParquetFile(path) as file:
            columns = [name for name in _COLUMNS if name in file.schema_arrow.names]
            rows = file.read(columns).to_pylist()
    except (ArrowException, OSError) as error:
        raise InputError(f"{path}: it can't be read as Parquet: {error}.", _GRAPHRAG_REMEDY) from error
    if "text" not in columns or len(columns) == 1:
        raise InputError(f"{path}: it has no columns id and text.", _GRAPHRAG_REMEDY)
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
        retrieved or tuple(_cited_texts(response, units)),
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


def _cited_texts(response: str, units: Mapping[str, str]) -> Iterator[RetrievedText]:
    listed = (one for group in _CITED_SOURCES.findall(response) for one in _NUMBER.findall(group))
    for known in dict.fromkeys(listed):
        yield RetrievedText(units.get(known, ""), chunk="" if known in units else f"text unit {known}")


def _counts(context: Cells) -> str:
    sizes = ((kind, len(_records(context.get(kind)))) for kind in KINDS)
    return ", ".join(f"{size} {kind}" for kind, size in sizes if size)


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def read_hipporag(path: Path) -> Iterator[AnswerRow | Reject]:
    """The answers in a file of HippoRAG's solutions.

    Raises:
        InputError: the file can't be read at all.
    """
    return read_rows(path, _hipporag_answer)


def _hipporag_answer(cells: Cells) -> OwnAnswer:
    answer, documents = ("answer", "docs") if "docs" in cells else ("prediction", "retrieved")
    if answer not in cells:
        raise RowTroubleError(f"there is no {answer}: rag_qa answers, retrieve does not")
    docs = texts(cells.get(documents) or [])
    scores = cells.get("doc_scores")
    known = scores if isinstance(scores, list) and len(scores) == len(docs) else [None] * len(docs)
    said = text(cells, answer)
    return OwnAnswer(
        said,
        tuple(_document(doc, score) for doc, score in zip(docs, known, strict=True)),
        error="" if said else "HippoRAG gave no answer",
    )


def _document(doc: str, score: object) -> RetrievedText:
    """A document as HippoRAG indexes its own sets: the title, a line break, the text."""
    title, line_end, _ = doc.partition("\n")
    return RetrievedText(
        doc,
        title=title.strip() if line_end else "",
        score=float(score) if isinstance(score, int | float) else None,
    )


NO_CONTEXT = "[no-context]"
"""What LightRAG puts behind the sentence that it answers where it found nothing."""

_REFERENCES = re.compile(r"\n+#{1,4}\s*References\s*\n.*\Z", re.S | re.I)
_COUNTED = ("entities", "relationships", "chunks")


def read_lightrag(path: Path) -> Iterator[AnswerRow | Reject]:
    """The answers in a file of LightRAG's results.

    Raises:
        InputError: the file can't be read at all.
    """
    return read_rows(path, _lightrag_answer)


def _lightrag_answer(cells: Cells) -> OwnAnswer:
    result = cells.get("result", cells)
    if isinstance(result, str):
        return OwnAnswer(_own_words(result))
    if not isinstance(result, dict):
        raise RowTroubleError("its result is neither text nor an object")
    data = result.get("data")
    data = data if isinstance(data, dict) else {}
    said = _answer_text(result)
    return OwnAnswer(
        _own_words(said),
        (*_chunks(data), *_contents(result)),
        _steps(result, data),
        seconds=_lightrag_seconds(result),
        error="" if said else text(result, "error", "message") or "LightRAG gave no answer",
    )


def _answer_text(result: Cells) -> str:
    reply = result.get("llm_response")
    return text(reply, "content") if isinstance(reply, dict) else text(result, "response", "answer")


def _own_words(said: str) -> str:
    """The answer without the list of references that LightRAG's prompt asks for."""
    if NO_CONTEXT in said:
        return INSUFFICIENT
    return _REFERENCES.sub("", said).strip()


def _chunks(data: Cells) -> Iterator[RetrievedText]:
    for chunk in objects(data.get("chunks"), "chunks"):
        yield RetrievedText(text(chunk, "content"), title=text(chunk, "file_path"))


def _contents(result: Cells) -> Iterator[RetrievedText]:
    for reference in objects(result.get("references"), "references"):
        for content in texts(reference.get("content")):
            yield RetrievedText(content, title=text(reference, "file_path"))


def _steps(result: Cells, data: Cells) -> tuple[OwnStep, ...]:
    """What LightRAG searched its graph for, and how much it found."""
    metadata = result.get("metadata")
    if not isinstance(metadata, dict):
        return ()
    keywords = metadata.get("keywords")
    keywords = keywords if isinstance(keywords, dict) else {}
    words = (*texts(keywords.get("high_level") or []), *texts(keywords.get("low_level") or []))
    sizes = ((kind, len(found)) for kind in _COUNTED if isinstance(found := data.get(kind), list))
    return (OwnStep("retrieve", ", ".join(words), ", ".join(f"{size} {kind}" for kind, size in sizes)),)


def _lightrag_seconds(result: Cells) -> float | None:
    value = result.get("response_time")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
