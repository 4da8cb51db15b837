"""The ten primitives that plans are made of: what each does, takes and gives.

Their arguments in a call are resolved: chunks by id and evidence as it stands, never a text of an article
that was not extracted.

What primitives give, as typed values: behind the boundary, for the steps of the same plan only.

How the seeking of a goal ended, as the last step of a trace tells it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from kg.llm.protocol import JsonValue, json_object
from services.rag.agents.goal_seeking.insights import EvidencePiece, Silence
from services.rag.agents.protocol import Final, Observation

Status = Literal["achieved", "stopped"]
"""`achieved`: the evaluator is content with the answer; `stopped`: it was not, and the iterations are used
up, plans bring nothing new, or nothing is left to try."""

_TOLD = re.compile(r"(?P<status>achieved|stopped) after (?P<iterations>\d+) iterations?(?:$|: )")


@dataclass(frozen=True, slots=True)
class Ending:
    """How it ended, and after how many iterations."""

    status: Status
    iterations: int


def ending_text(ending: Ending, reason: str = "") -> str:
    """The ending as the thought of the last step: "achieved after 2 iterations: two sources say so"."""
    plural = "" if ending.iterations == 1 else "s"
    told = f"{ending.status} after {ending.iterations} iteration{plural}"
    return f"{told}: {reason}" if reason else told


def read_ending(thought: str) -> Ending | None:
    """The ending that a thought tells, None where it tells none."""
    found = _TOLD.match(thought)
    return Ending(cast(Status, found["status"]), int(found["iterations"])) if found else None


MOST_NAMES = 3
"""Names of a list that stand in a query."""

ResultKind = Literal["documents", "evidence", "entities", "query", "answer", "sufficiency"]


@dataclass(frozen=True, slots=True)
class Documents:
    """Chunks by their ids, best first; their texts stay in the graph until a primitive reads them."""

    chunks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts that were extracted, and what the passages that were read for them do not tell."""

    pieces: tuple[EvidencePiece, ...] = ()
    silences: tuple[Silence, ...] = ()


@dataclass(frozen=True, slots=True)
class Entities:
    """Names of entities, the most important first."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NextQuery:
    """What to look for next, empty where there is nothing new."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether the evidence is enough to answer, and what is missing."""

    enough: bool = False
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the goal is reached, and why."""

    achieved: bool
    reason: str


Result: TypeAlias = Documents | Evidence | Entities | NextQuery | Sufficiency | Final | Verdict


@dataclass(frozen=True, slots=True)
class PrimitiveResult(Observation):
    """What came of a primitive, with the value that later steps of the plan can use."""

    result: Result = Documents()


def result_text(result: Result) -> str:
    """What a result says inside the query of a later step; empty where it says nothing."""
    match result:
        case NextQuery(text=text) | Final(text=text):
            return text
        case Entities(names=names):
            return ", ".join(names[:MOST_NAMES])
        case _:
            return ""


def chunks_of(results: Sequence[Result]) -> tuple[str, ...]:
    """The chunks of some documents, each once, in turn: the first of each before the second of any."""
    lists = [one.chunks for one in results if isinstance(one, Documents)]
    longest = max(map(len, lists), default=0)
    in_turn = (chunks[rank] for rank in range(longest) for chunks in lists if rank < len(chunks))
    return tuple(dict.fromkeys(in_turn))


def pieces_of(results: Sequence[Result]) -> tuple[EvidencePiece, ...]:
    """The pieces of some evidence, each once."""
    found = (piece for one in results if isinstance(one, Evidence) for piece in one.pieces)
    return tuple(dict.fromkeys(found))


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
_COUNT: JsonValue = {"type": "integer", "minimum": 0}
_SEARCHES: JsonValue = {
    "type": "array",
    "items": json_object(query=_TEXT, filters=_TEXT, found=_COUNT, sources=_TEXTS),
}
_SILENCES: JsonValue = {"type": "array", "items": json_object(sought=_TEXT, source=_TEXT, passages=_COUNT)}
_OF_EVIDENCE = json_object(question=_TEXT, evidence=_EVIDENCE, searches=_SEARCHES, silences=_SILENCES)
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


def primitive_lines() -> str:
    """The primitives in lines, as a planner reads them."""
    return "\n".join(
        f"- {one.name}: {one.about} Gives {one.gives}."
        + (f" Takes {' or '.join(sorted(one.takes))} as inputs." if one.takes else "")
        for one in PRIMITIVES.values()
    )
