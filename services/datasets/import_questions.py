"""Questions of another set into a corpus: as kept questions of the kind `imported`, with their evidence.

They stay when questions are made anew, for they follow no path; a run asks them beside those. Importing a
file again finds its questions by the set's id and their text, and looks for their evidence anew.

The questions of single and of first hops that a set tells beside a question, as the graph takes them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kg.embed.choose import Embedder
from kg.errors import NothingToDoError
from kg.ids import node_id
from kg.ingest.rows import file_and_line, path_text
from kg.model import Reject
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row, batches, vector_of
from services.datasets.choose import read_questions, tell_format
from services.datasets.match_gold import MatchedQuestion, match_gold, unmatched_evidence
from services.datasets.question import BenchmarkQuestion, HopQuestion
from services.questions.composed.store import ATOMIC
from services.questions.dataset import renew_version
from services.questions.difficulty import difficulty_properties
from services.questions.question_rows import PREFIX
from services.questions.review import take_up_reviews
from services.questions.spans.question_spans import write_spans


def chain_rows(
    corpus: str, question: str, chain: Sequence[HopQuestion], groups: Sequence[Sequence[str]], made: Row
) -> Iterator[Row]:
    """Rows for `questions/write_imported`: those of the hops, then the one that joins them to `question`.

    `groups` are the supporting chunks of each hop; `made` are properties that all of them share.
    """
    for hop in chain:
        yield _chain_row(atomic_id(corpus, question, hop), ATOMIC, hop.text, hop.answer, (), 1, made) | {
            "gold": _gold(groups[hop.hop - 1 : hop.hop])
        }
    for hop in chain[:-1]:
        id_ = prefix_id(corpus, question, hop)
        yield _chain_row(id_, PREFIX, hop.so_far, hop.so_far_answer, hop.accepted, hop.hop, made) | {
            "gold": _gold(groups[: hop.hop])
        }
    yield {
        "id": question,
        "question": {},
        "vector": None,
        "gold": [],
        "prefixes": [{"id": prefix_id(corpus, question, hop), "hops": hop.hop} for hop in chain[:-1]],
        "hop_questions": [
            {"id": atomic_id(corpus, question, hop), "hop": hop.hop, "topology": hop.topology}
            for hop in chain
        ],
    }


def atomic_id(corpus: str, question: str, hop: HopQuestion) -> str:
    """The id of the question of one hop of an imported question."""
    return node_id(corpus, "question", ATOMIC, question, str(hop.hop))


def prefix_id(corpus: str, question: str, hop: HopQuestion) -> str:
    """The id of the question of an imported question's hops up to this one."""
    return node_id(corpus, "question", PREFIX, question, str(hop.hop))


def _chain_row(
    id_: str, kind: str, text: str, answer: str, accepted: Sequence[str], hops: int, made: Row
) -> Row:
    told = {
        "text": text,
        "answer": answer,
        "accepted": list(dict.fromkeys((answer, *accepted))),
        "kind": kind,
        "status": kind,
        "hops": hops,
    }
    return {"id": id_, "question": told | made, "vector": None, "prefixes": [], "hop_questions": []}


def _gold(groups: Sequence[Sequence[str]]) -> list[Row]:
    return [
        {"hop": hop, "chunk": chunk, "similarity": None}
        for hop, group in enumerate(groups, start=1)
        for chunk in group
    ]


IMPORTED = "imported"
"""The kind of a question that comes from another set."""

QUESTIONS_A_BATCH = 200
SET_ASIDE = "question set aside"
NOT_FOUND = "evidence not found"

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What became of a question file.

    `pieces` counts the pieces of evidence by the way that found them; `whole` are the questions all of whose
    evidence was found, `without` those for which the set names none, `lost` those of whose evidence none was.
    """

    form: str
    questions: int
    whole: int
    without: int
    lost: int
    types: Mapping[str, int]
    pieces: Mapping[str, int]
    rejects: tuple[Reject, ...]
    unmatched: tuple[Reject, ...]
    dataset: str


def import_questions(
    graph: Graph, corpus: str, path: Path, form: str, embedder: Embedder, progress: Progress
) -> ImportResult:
    """Write the questions of a file into a corpus, and what could not be used of it into its rejects.

    Raises:
        InputError: the file can't be read, or has none of the forms known.
        SettingsError: there is no such form.
        NothingToDoError: the file has no question that can be used, or the corpus no chunks yet.
    """
    form = form or tell_format(path)
    progress.begin("imported questions")
    questions, rejects = _sorted_out(read_questions(path, form))
    if not questions:
        first = f": {rejects[0].place}: {rejects[0].reason}" if rejects else ""
        raise NothingToDoError(
            f"{path} has no question that can be used{first}.", "Give another file, or say its --format."
        )
    matched = match_gold(graph, corpus, questions)
    unmatched = unmatched_evidence(matched)
    progress.step("imported questions", len(questions))
    for batch in batches(matched, QUESTIONS_A_BATCH):
        rows = _rows(graph, corpus, form, batch, embedder)
        graph.write_rows(query("questions/write_benchmark_questions"), rows, corpus=corpus)
        graph.write_rows(query("questions/write_imported"), _chain_rows(corpus, form, batch), corpus=corpus)
        progress.advance(len(batch))
    _write_remarks(graph, corpus, path, rejects, unmatched)
    write_spans(graph, corpus)
    take_up_reviews(graph, corpus, embedder.embed)
    found = ImportResult(
        form=form,
        questions=len(questions),
        whole=sum(bool(one.gold_found) and not one.missing for one in matched),
        without=sum(not one.question.gold for one in matched),
        lost=sum(bool(one.missing) and not one.gold_found for one in matched),
        types=dict(Counter(one.type or "not told" for one in questions)),
        pieces=dict(Counter(piece.way for one in matched for piece in one.gold_found)),
        rejects=tuple(rejects),
        unmatched=unmatched,
        dataset=renew_version(graph, corpus),
    )
    progress.end(f"{found.questions:,} questions")
    return found


def imported_id(corpus: str, question: BenchmarkQuestion) -> str:
    """The id of an imported question: by its set's id and its text, whatever the file's form."""
    return node_id(corpus, "question", IMPORTED, question.id, question.text)


def _sorted_out(
    found: Iterable[BenchmarkQuestion | Reject],
) -> tuple[list[BenchmarkQuestion], list[Reject]]:
    questions: list[BenchmarkQuestion] = []
    rejects: list[Reject] = []
    for one in found:
        if isinstance(one, Reject):
            rejects.append(one)
        else:
            questions.append(one)
    return questions, rejects


def _rows(
    graph: Graph, corpus: str, form: str, batch: Sequence[MatchedQuestion], embedder: Embedder
) -> list[Row]:
    vectors = _question_vectors(graph, corpus, [one.question for one in batch], embedder)
    needed = sorted({chunk for one in batch for group in one.groups for chunk in group})
    stored = graph.read_in_batches(query("chunks/read_vectors"), needed)
    chunks = {row["id"]: vector_of(row["vector"]) for row in stored if row["vector"] is not None}
    return [_row(corpus, form, one, vectors, chunks) for one in batch]


def _question_vectors(
    graph: Graph, corpus: str, questions: Sequence[BenchmarkQuestion], embedder: Embedder
) -> dict[str, Vector]:
    """The vectors of questions by id; one that is there keeps its own, which an edit may have given it."""
    texts = {imported_id(corpus, one): one.text for one in questions}
    rows = graph.rows(query("questions/read_queries"), ids=list(texts))
    vectors = {row["id"]: vector_of(row["vector"]) for row in rows if row["vector"] is not None}
    new = {id_: text for id_, text in texts.items() if id_ not in vectors}
    made = embedder.embed_queries(list(new.values())) if new else ()
    return vectors | dict(zip(new, made, strict=True))


def _row(
    corpus: str, form: str, one: MatchedQuestion, vectors: Mapping[str, Vector], chunks: Mapping[str, Vector]
) -> Row:
    question, id_ = one.question, imported_id(corpus, one.question)
    support = [
        {"hop": hop, "chunk": chunk, "similarity": _cosine(vectors[id_], chunks.get(chunk))}
        for hop, group in enumerate(one.groups, start=1)
        for chunk in group
    ]
    rated = all(row["similarity"] is not None for row in support)
    return {
        "id": id_,
        "text": question.text,
        "vector": vectors[id_],
        "support": support,
        "told": {
            "answer": question.answer,
            "accepted": list(question.accepted),
            "query_type": question.type,
            "hops": question.hops,
            "given_id": question.id,
            "given_form": form,
            "generator": f"imported from {form}",
            # As the tables of a benchmark count them: a piece that is named twice is missing once.
            "unmatched": len({replace(gold, sentence=-1, hop=0) for gold in one.missing}),
            **(difficulty_properties(support) if rated else {}),
        },
    }


def _chain_rows(corpus: str, form: str, batch: Sequence[MatchedQuestion]) -> Iterator[Row]:
    for one in batch:
        if one.question.chain:
            made = {"query_type": one.question.type, "generator": f"imported from {form}"}
            id_ = imported_id(corpus, one.question)
            groups = [
                tuple(
                    chunk for found in one.gold_found if found.gold.hop == hop.hop for chunk in found.chunks
                )
                for hop in one.question.chain
            ]
            yield from chain_rows(corpus, id_, one.question.chain, groups, made)


def _cosine(question: Vector, chunk: Vector | None) -> float | None:
    return None if chunk is None else round(float(question @ chunk), 6)


def _write_remarks(
    graph: Graph, corpus: str, path: Path, rejects: Sequence[Reject], unmatched: Sequence[Reject]
) -> None:
    """Put rows set aside and evidence not found among the rejects, in place of those from before."""
    read_from = path_text(path)
    kinds = [SET_ASIDE, NOT_FOUND]
    graph.rows(query("questions/forget_remarks"), corpus=corpus, file=read_from, kinds=kinds)
    remarks = [(SET_ASIDE, one) for one in rejects] + [(NOT_FOUND, one) for one in unmatched]
    graph.write_rows(
        query("articles/write_rejects"),
        (_remark_row(corpus, kind, one, read_from) for kind, one in remarks),
        corpus=corpus,
    )


def _remark_row(corpus: str, kind: str, remark: Reject, read_from: str) -> Row:
    file, line = file_and_line(remark.place)
    return {
        "id": node_id(corpus, "reject", kind, remark.place, remark.reason),
        "kind": kind,
        "place": remark.place,
        "file": file,
        "line": line,
        "reason": remark.reason,
        "read_from": read_from,
    }
