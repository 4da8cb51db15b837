"""Answers of LightRAG: results of `aquery_llm`, replies of its server's /query, and its own result files.

LightRAG's results don't repeat the question, so each row has it beside the result:

    {"query": "...", "result": {"status": "success", "data": {"chunks": [...]}, "llm_response": {...}}}
    {"query": "...", "result": {"response": "...", "references": [{"file_path": "...", "content": [...]}]}}
    {"query": "...", "result": "the answer alone"}

The first is what `aquery_llm` returns, the second what its server sends for /query (texts only with
include_chunk_content), the third what its script reproduce/Step_3.py writes. Without "result", the fields
stand in the row itself.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from kg.model import Reject
from kg.own_system import OwnAnswer, OwnStep, RetrievedText
from services.benchmarks.formats.cells import Cells, RowTroubleError, objects, text, texts
from services.evaluate.answers import INSUFFICIENT
from services.systems.formats.rows import read_rows
from services.systems.replies import AnswerRow

NO_CONTEXT = "[no-context]"
"""What LightRAG puts behind the sentence that it answers where it found nothing."""

_REFERENCES = re.compile(r"\n+#{1,4}\s*References\s*\n.*\Z", re.S | re.I)
_COUNTED = ("entities", "relationships", "chunks")


def read_lightrag(path: Path) -> Iterator[AnswerRow | Reject]:
    """The answers in a file of LightRAG's results.

    Raises:
        InputError: the file can't be read at all.
    """
    return read_rows(path, _answer)


def _answer(cells: Cells) -> OwnAnswer:
    result = cells.get("result", cells)
    if isinstance(result, str):
        return OwnAnswer(_own_words(result))
    if not isinstance(result, dict):
        raise RowTroubleError("its result is neither text nor an object")
    data = result.get("data")
    data = data if isinstance(data, dict) else {}
    said = _said(result)
    return OwnAnswer(
        _own_words(said),
        (*_chunks(data), *_contents(result)),
        _steps(result, data),
        seconds=_seconds(result),
        error="" if said else text(result, "error", "message") or "LightRAG gave no answer",
    )


def _said(result: Cells) -> str:
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


def _seconds(result: Cells) -> float | None:
    value = result.get("response_time")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
