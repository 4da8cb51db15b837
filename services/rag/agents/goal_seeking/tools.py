"""The four primitives that look for chunks: everywhere, in sources, in a category, between two days.

The six primitives that read, and the evaluator's call: what they are given is in their arguments alone.

Evidence as passages: of each chunk only the facts that were extracted from it, and the names in them.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.embed.choose import Embedder
from kg.llm.protocol import JsonValue
from services.answers import INSUFFICIENT
from services.rag.agents.goal_seeking.insights import (
    EvidencePiece,
    evidence_from_json,
    filters_in_words,
    insights_from_json,
    items,
    silences_from_json,
    tried_from_json,
)
from services.rag.agents.goal_seeking.plans import Evaluator
from services.rag.agents.goal_seeking.primitives import (
    EVALUATE,
    PRIMITIVES,
    Documents,
    Entities,
    Evidence,
    NextQuery,
    PrimitiveResult,
    Result,
    Sufficiency,
    Verdict,
)
from services.rag.agents.goal_seeking.reading import EvidenceReader, EvidenceTask, ExtractTask, TaskResult
from services.rag.agents.protocol import MOST_TOP, Call, Final, Observation, PendingCall, Tool, same_search
from services.rag.answering import PassageReader
from services.rag.context import admitted_passages
from services.rag.metadata import MetadataIndex
from services.rag.metadata_names import NameIndex, name_mentions
from services.rag.protocol import Filters, Generator, Passage, Retriever
from services.rag.retrieval.metadata import within
from services.rag.sentence_match import stands_in


def evidence_passages(
    read: PassageReader, lists: Sequence[Sequence[EvidencePiece]]
) -> list[tuple[Passage, ...]]:
    """For each list of evidence a passage for each chunk that it is from, in its order, by one reading."""
    known = read(sorted({piece.chunk for pieces in lists for piece in pieces}))
    found = []
    for pieces in lists:
        facts: defaultdict[str, list[str]] = defaultdict(list)
        for piece in pieces:
            facts[piece.chunk].append(piece.fact_with_date)
        found.append(tuple(condense(known[chunk], own) for chunk, own in facts.items() if chunk in known))
    return found


def condense(passage: Passage, facts: Sequence[str]) -> Passage:
    """A passage with nothing in it but these facts: its other sentences, names and triples are left out."""
    text = " ".join(facts)
    sentences = set(facts)
    return replace(
        passage,
        text=text,
        names=tuple(
            name for name in passage.names if stands_in(name.surface, text) or stands_in(name.name, text)
        ),
        facts=tuple(fact for fact in passage.facts if fact.sentence in sentences),
        next_chunk="",
    )


MOST_READ = 30
"""Chunks from which one extraction reads, the best."""


@dataclass(frozen=True, slots=True)
class ReadingTool:
    """A primitive that reads; `work` gives what comes of each call, in order."""

    name: str
    about: str
    parameters: Mapping[str, JsonValue]
    work: Callable[[Sequence[PendingCall]], list[TaskResult]]

    def sought(self, call: Call) -> str | None:
        """Reading twice is no repeated search."""
        return None

    def run(self, askings: Sequence[PendingCall]) -> list[Observation]:
        """What comes of each call, in order."""
        return [_make_observation(one) for one in self.work(askings)]


def reading_tools(
    reader: EvidenceReader,
    evaluator: Evaluator,
    generator: Generator,
    read: PassageReader,
) -> dict[str, Tool]:
    """The tools by name; what is read of passages is paid for by the budget of `generator`, if it has one."""

    def extract(askings: Sequence[PendingCall]) -> list[TaskResult]:
        lists = [_texts(one, "chunks")[:MOST_READ] for one in askings]
        known = read(sorted({chunk for chunks in lists for chunk in chunks}))
        tasks = []
        for one, chunks in zip(askings, lists, strict=True):
            passages = [known[chunk] for chunk in chunks if chunk in known]
            shown = admitted_passages(generator, one.question.id, passages, last=False)
            tasks.append(ExtractTask(_question(one), shown, _texts(one, "known")))
        return reader.extract(tasks)

    def identify(askings: Sequence[PendingCall]) -> list[TaskResult]:
        chunks = [_texts(one, "chunks")[:MOST_READ] for one in askings]
        known = read(sorted({chunk for some in chunks for chunk in some}))
        of_evidence = evidence_passages(read, [_evidence(one) for one in askings])
        return [
            TaskResult(Entities(_names((*(known[chunk] for chunk in some if chunk in known), *pieces))))
            for some, pieces in zip(chunks, of_evidence, strict=True)
        ]

    def next_query(askings: Sequence[PendingCall]) -> list[TaskResult]:
        return reader.next_query(_tasks(read, askings))

    def assess(askings: Sequence[PendingCall]) -> list[TaskResult]:
        return reader.assess(_tasks(read, askings))

    def combine(askings: Sequence[PendingCall]) -> list[TaskResult]:
        return [TaskResult(Documents(tuple(dict.fromkeys(_texts(one, "chunks"))))) for one in askings]

    def synthesize(askings: Sequence[PendingCall]) -> list[TaskResult]:
        return _answers(reader, _tasks(read, askings))

    def evaluate(askings: Sequence[PendingCall]) -> list[TaskResult]:
        return evaluator.evaluate([insights_from_json(one.call.arguments) for one in askings])

    works = {
        "extract_evidence": extract,
        "identify_entities": identify,
        "generate_next_query": next_query,
        "synthesize_answer": synthesize,
        "assess_sufficiency": assess,
        "combine_contexts": combine,
    }
    tools: dict[str, Tool] = {
        name: ReadingTool(name, PRIMITIVES[name].about, PRIMITIVES[name].parameters, work)
        for name, work in works.items()
    }
    return tools | {EVALUATE: ReadingTool(EVALUATE, _ABOUT_EVALUATING, {"type": "object"}, evaluate)}


_ABOUT_EVALUATING = "Says whether the goal is reached, from the insights alone."


def _answers(reader: EvidenceReader, tasks: Sequence[EvidenceTask]) -> list[TaskResult]:
    """An answer to each question that has evidence; without any, the answer is that there is too little."""
    readable = [number for number, task in enumerate(tasks) if task.evidence]
    found = [TaskResult(Final(INSUFFICIENT)) for _ in tasks]
    answers = reader.answer([tasks[number] for number in readable])
    for number, read in zip(readable, answers, strict=True):
        found[number] = read
    return found


def _tasks(read: PassageReader, askings: Sequence[PendingCall]) -> list[EvidenceTask]:
    lists = [_evidence(one) for one in askings]
    return [
        EvidenceTask(
            _question(one),
            pieces,
            passages,
            _texts(one, "tried"),
            one.question.id,
            tried_from_json(one.call.arguments.get("searches")),
            silences_from_json(one.call.arguments.get("silences")),
        )
        for one, pieces, passages in zip(askings, lists, evidence_passages(read, lists), strict=True)
    ]


def _names(passages: Sequence[Passage]) -> tuple[str, ...]:
    """The names that stand in passages, those in most of them first, each entity once."""
    counts: dict[str, int] = {}
    names: dict[str, str] = {}
    for passage in passages:
        for entity in dict.fromkeys(name.entity for name in passage.names if name.entity):
            counts[entity] = counts.get(entity, 0) + 1
        for name in passage.names:
            names.setdefault(name.entity, name.name)
    ranked = sorted(counts, key=lambda entity: -counts[entity])
    return tuple(dict.fromkeys(names[entity] for entity in ranked))


def _make_observation(read: TaskResult) -> Observation:
    return PrimitiveResult(
        text=read.fault_text or _result_text(read.result),
        usage=read.usage,
        cost=read.cost,
        prompt=read.prompt,
        fault=read.fault,
        error=read.error,
        result=read.result,
    )


def _result_text(result: Result) -> str:
    """A result as the trace keeps it."""
    match result:
        case Documents(chunks=chunks):
            told = f"{len(chunks)} chunks"
        case Evidence(pieces=pieces, silences=silences):
            lines = (*(_line(piece) for piece in pieces), *(one.sentence for one in silences))
            told = "\n".join(lines) or "no evidence"
        case Entities(names=names):
            told = ", ".join(names) or "no names"
        case NextQuery(text=text):
            told = text or "nothing new to look for"
        case Sufficiency(enough=True):
            told = "enough"
        case Sufficiency(missing=missing):
            told = "\n".join(("not enough", *missing))
        case Final(text=text):
            told = text
        case Verdict(achieved=achieved, reason=reason):
            told = f"{'achieved' if achieved else 'not achieved'}: {reason}"
    return told


def _line(piece: EvidencePiece) -> str:
    where = ", ".join(filter(None, (piece.source, piece.published)))
    return f"{where}: {piece.fact_with_date}" if where else piece.fact_with_date


def _question(asking: PendingCall) -> str:
    return str(asking.call.arguments.get("question") or asking.question.text)


def _evidence(asking: PendingCall) -> tuple[EvidencePiece, ...]:
    return evidence_from_json(asking.call.arguments.get("evidence"))


def _texts(asking: PendingCall, name: str) -> tuple[str, ...]:
    return tuple(map(str, items(asking.call.arguments.get(name))))


@dataclass(frozen=True, slots=True)
class RetrievingTool:
    """One of the four; which filters it has is told by its arguments.

    `retriever` is asked once for all calls. The filters that a question came with always hold.
    """

    name: str
    retriever: Retriever
    embedder: Embedder
    metadata: MetadataIndex

    @property
    def about(self) -> str:
        """What it does."""
        return PRIMITIVES[self.name].about

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The JSON schema of its arguments."""
        return PRIMITIVES[self.name].parameters

    def sought(self, call: Call) -> str | None:
        """Query and filters: by whichever of the four it is looked for, it is the same search."""
        return search_key(str(call.arguments["query"]), self._filters(call.arguments))

    def run(self, askings: Sequence[PendingCall]) -> list[Observation]:
        """The chunks of each call, by one search for all."""
        queries = [str(one.call.arguments["query"]) for one in askings]
        filters = [within(one.question.filters, self._filters(one.call.arguments)) for one in askings]
        found = self.retriever.retrieve(
            [
                replace(one.question, text=text, vector=vector, filters=looked_in)
                for one, text, vector, looked_in in zip(
                    askings, queries, self.embedder.embed_queries(queries), filters, strict=True
                )
            ]
        )
        wanted = [_number_of_chunks(one.call.arguments.get("k")) for one in askings]
        return [
            PrimitiveResult(
                text=_chunks_in_words(len(hits[:k]), looked_in),
                hits=tuple(hits[:k]),
                retrieves=True,
                query=text,
                top_k=k,
                filters=looked_in,
                result=Documents(tuple(hit.chunk for hit in hits[:k])),
            )
            for text, looked_in, hits, k in zip(queries, filters, found, wanted, strict=True)
        ]

    def _filters(self, arguments: Mapping[str, JsonValue]) -> Filters:
        """The filters of a call, with the corpus' own spelling of sources and categories."""
        sources = (
            _names_in_corpus(str(one), self.metadata.sources) for one in items(arguments.get("sources"))
        )
        category = str(arguments.get("category") or "")
        return Filters(
            sources=tuple(dict.fromkeys(name for names in sources for name in names)),
            categories=_names_in_corpus(category, self.metadata.categories) if category else (),
            since=str(arguments.get("since") or ""),
            until=str(arguments.get("until") or ""),
        )


def search_key(query: str, filters: Filters) -> str:
    """What makes two searches the same."""
    return same_search("retrieve", query, filters)


def _names_in_corpus(name: str, index: NameIndex) -> tuple[str, ...]:
    """What the corpus calls it; where it has nothing of that name, the name itself, which finds nothing."""
    found = name_mentions(name, index)
    return found[0].values if found else (name,)


def _number_of_chunks(k: JsonValue) -> int:
    return min(max(k, 1), MOST_TOP) if isinstance(k, int) else MOST_TOP


def _chunks_in_words(count: int, filters: Filters) -> str:
    where = filters_in_words(filters)
    chunks = "1 chunk" if count == 1 else f"{count} chunks"
    return f"{chunks} within {where}" if where else chunks
