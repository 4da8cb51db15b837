"""What produced a run's answers, read from its record and summed over its answers.

Accuracy by kind of question and by MultiHop-RAG's query type, and shares with their intervals.
"""

from collections.abc import Iterator, Sequence
from math import fsum

from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import EXACT_MATCH, HAND
from services.evaluate.run_answers import GivenAnswer, read_answers
from services.questions.draft import QUERY_TYPES
from services.report.content import KindRow, Rate, RunFacts
from services.statistics.clustered_means import share_interval
from services.statistics.rankings import Mean, mean_measures

ALL = "all"


def rate_of(name: str, hits: Sequence[bool], clusters: Sequence[str]) -> Rate:
    """The share of hits with its interval by cluster, or Wilson's where there are fewer than two clusters."""
    n, count = len(hits), sum(hits)
    return Rate(name, n, count, count / n if n else None, share_interval(hits, clusters))


def kind_rows(answers: Sequence[GivenAnswer]) -> tuple[KindRow, ...]:
    """A row for each kind that was asked, then one for each query type of several kinds, then one for all.

    Imported questions have a row for each of their set's types. With one row there is no other. A null
    question is right when abstained from (MultiHop-RAG, section 4.2 and figure 3).
    """
    rows = list(_by_kind(answers))
    for query_type in dict.fromkeys((*QUERY_TYPES.values(), *(row.query_type for row in rows))):
        if sum(row.query_type == query_type for row in rows) > 1:
            rows.append(_row(ALL, query_type, [one for one in answers if one.query_type == query_type]))
    if len(rows) > 1:
        rows.append(row_of_all(answers))
    return tuple(rows)


def row_of_all(answers: Sequence[GivenAnswer]) -> KindRow:
    """All answers of a run as one row, whatever their kinds."""
    return _row(ALL, ALL, answers)


def _by_kind(answers: Sequence[GivenAnswer]) -> Iterator[KindRow]:
    others = sorted({(one.kind, one.query_type) for one in answers} - set(QUERY_TYPES.items()))
    for kind, query_type in (*QUERY_TYPES.items(), *others):
        inside = [one for one in answers if (one.kind, one.query_type) == (kind, query_type)]
        if inside:
            yield _row(kind, query_type, inside)


def _row(kind: str, query_type: str, answers: Sequence[GivenAnswer]) -> KindRow:
    n = len(answers)
    return KindRow(
        kind=kind,
        query_type=query_type,
        accuracy=rate_of("accuracy", [a.right for a in answers], [a.cluster for a in answers]),
        answer_match=sum(answer.answer_match for answer in answers) / n if n else None,
        exact_match=sum(answer.exact_match for answer in answers) / n if n else None,
        any_word=sum(answer.any_word for answer in answers) / n if n else None,
        f1=fsum(answer.f1 for answer in answers) / n if n else None,
        abstained=sum(answer.abstained for answer in answers),
        errors=sum(bool(answer.error) for answer in answers),
    )


def retrieval_means(answers: Sequence[GivenAnswer]) -> dict[str, Mean]:
    """How well a run ranked the evidence of its questions, by cluster (`rankings.MEASURES`).

    Null questions have no evidence; answers whose system keeps to itself what it retrieved are left out.
    """
    ranked = [answer for answer in answers if answer.ranks and answer.retrieval_reported]
    return mean_measures([answer.ranks for answer in ranked], [answer.cluster for answer in ranked])


REVISED = ", revised by hand"
"""What follows the name of a judge some of whose verdicts people changed."""


def read_facts(graph: Graph, corpus: str, run: str) -> RunFacts:
    """The facts of one run, which must exist, given its name."""
    record = graph.rows(query("runs/read_record"), run=run_id(corpus, run))[0]["run"]
    kept = graph.rows(query("corpus/read_versions"), corpus=corpus)[0]["kept"]
    return run_facts(record, read_answers(graph, run_id(corpus, run)), kept)


def run_facts(record: Row, answers: Sequence[GivenAnswer], kept: int) -> RunFacts:
    """The facts of a run, from its record; `kept` is how many questions the corpus keeps."""
    limit = record.get("question_limit")
    costs = [answer.cost for answer in answers if answer.cost is not None]
    return RunFacts(
        name=record["name"],
        system=record["system"],
        retriever=record["retriever"],
        reranker=record.get("reranker") or "",
        generator=record.get("generator") or "",
        embedder=record["embedder"],
        judge=_judge(record, answers),
        prompts=tuple(record.get("prompts") or ()),
        top=record.get("top") or 0,
        dataset=record.get("dataset") or "",
        questions=kept if limit is None else min(kept, limit),
        answers=len(answers),
        errors=sum(bool(answer.error) for answer in answers),
        abstained=sum(answer.abstained for answer in answers),
        input_tokens=sum(answer.input_tokens for answer in answers),
        output_tokens=sum(answer.output_tokens for answer in answers),
        cost=sum(costs) if costs else None,
        seconds=sum(answer.seconds for answer in answers),
        started_at=record.get("started_at") or "",
        finished_at=record.get("finished_at") or "",
        seed=record.get("seed"),
        unaligned=sum(answer.unaligned for answer in answers),
        with_unaligned=sum(answer.unaligned > 0 for answer in answers),
        untold=sum(not answer.retrieval_reported for answer in answers),
        cached_input_tokens=sum(answer.cached_input_tokens for answer in answers),
        reasoning_tokens=sum(answer.reasoning_tokens for answer in answers),
        temperature=record.get("temperature") or 0.0,
        repeats=record.get("repeats") or "",
        candidates=record.get("candidates"),
        evidence=record.get("evidence") or "",
    )


def _judge(record: Row, answers: Sequence[GivenAnswer]) -> str:
    judge = record.get("judge") or EXACT_MATCH
    return f"{judge}{REVISED}" if any(answer.judged_by == HAND for answer in answers) else judge
