"""The ten primitives that plans are made of: what each does, takes and gives.

Their arguments in a call are resolved: chunks by id and evidence as it stands, never a text of an article
that was not extracted.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kg.llm.protocol import JsonValue, json_object
from services.rag.agents.goal_seeking.results import ResultKind


@dataclass(frozen=True, slots=True)
class Primitive:
    """A primitive as planners know it; `takes` are the kinds of results that may be its inputs."""

    name: str
    about: str
    gives: ResultKind
    takes: frozenset[ResultKind]
    parameters: Mapping[str, JsonValue]
    needs_text: bool = False


_TEXT: JsonValue = {"type": "string"}
_TEXTS: JsonValue = {"type": "array", "items": {"type": "string"}}
_EVIDENCE: JsonValue = {
    "type": "array",
    "items": json_object(fact=_TEXT, chunk=_TEXT, source=_TEXT, published=_TEXT, happened=_TEXT),
}
_SEARCH = json_object(
    query=_TEXT,
    sources=_TEXTS,
    category=_TEXT,
    since=_TEXT,
    until=_TEXT,
    k={"type": "integer", "minimum": 1, "maximum": 20},
)
_OF_EVIDENCE = json_object(question=_TEXT, evidence=_EVIDENCE, searches=_TEXTS, silences=_TEXTS)
_NONE = frozenset[ResultKind]()
_DOCUMENTS = frozenset[ResultKind]({"documents"})
_PIECES = frozenset[ResultKind]({"evidence"})

_ALL = (
    Primitive(
        "retrieve",
        "Looks for passages of all articles whose meaning is near to `text`.",
        "documents", _NONE, _SEARCH, needs_text=True,
    ),
    Primitive(
        "retrieve_by_category",
        "Looks for `text` in the articles of `category` alone.",
        "documents", _NONE, _SEARCH, needs_text=True,
    ),
    Primitive(
        "retrieve_by_source",
        "Looks for `text` in the articles of `sources` alone.",
        "documents", _NONE, _SEARCH, needs_text=True,
    ),
    Primitive(
        "retrieve_filtered",
        "Looks for `text` in the articles that fit `sources`, `category`, `since` and `until`, all that are "
        "given; days are ISO dates.",
        "documents", _NONE, _SEARCH, needs_text=True,
    ),
    Primitive(
        "extract_evidence",
        "Extracts the facts that help with `text`, a question, from the passages of `inputs`; also notes "
        "which sources tell nothing of it.",
        "evidence", _DOCUMENTS, json_object(question=_TEXT, chunks=_TEXTS, known=_TEXTS),
    ),
    Primitive(
        "identify_entities",
        "Names the people, organisations, places and things in the passages or the evidence of `inputs`.",
        "entities", _DOCUMENTS | _PIECES,
        json_object(question=_TEXT, chunks=_TEXTS, evidence=_EVIDENCE),
    ),
    Primitive(
        "generate_next_query",
        "Says what to look for next for `text`, a question, given the evidence.",
        "query", _PIECES, json_object(question=_TEXT, evidence=_EVIDENCE, tried=_TEXTS),
    ),
    Primitive(
        "synthesize_answer",
        "Answers `text`, a question, from the evidence, and from what sources were found not to tell.",
        "answer", _PIECES, _OF_EVIDENCE,
    ),
    Primitive(
        "assess_sufficiency",
        "Says whether the evidence, or the silence of the sources, is enough to answer `text`, a question, "
        "and what is missing.",
        "sufficiency", _PIECES, _OF_EVIDENCE,
    ),
    Primitive(
        "combine_contexts",
        "Makes one list of the passages of several `inputs`, to extract facts from all together.",
        "documents", _DOCUMENTS, json_object(chunks=_TEXTS),
    ),
)  # fmt: skip

PRIMITIVES: Mapping[str, Primitive] = {one.name: one for one in _ALL}
"""By name."""

RETRIEVING = ("retrieve", "retrieve_by_category", "retrieve_by_source", "retrieve_filtered")

EVALUATE = "evaluate"
"""What is called after each plan; no plan can have it."""


def told() -> str:
    """The primitives in lines, as a planner reads them."""
    return "\n".join(
        f"- {one.name}: {one.about} Gives {one.gives}."
        + (f" Takes {' or '.join(sorted(one.takes))} as inputs." if one.takes else "")
        for one in PRIMITIVES.values()
    )
