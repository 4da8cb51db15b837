"""What produced a run's answers, read from its record and summed over its answers."""

from collections.abc import Sequence

from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from services.evaluate.answers import EXACT_MATCH, HAND
from services.report.answers import GivenAnswer, read_answers
from services.report.content import RunFacts


def read_facts(graph: Graph, corpus: str, run: str) -> RunFacts:
    """The facts of one run, which must exist, given its name."""
    record = graph.rows(query("reports/read_run"), run=run_id(corpus, run))[0]["run"]
    kept = graph.rows(query("reports/read_corpus"), corpus=corpus)[0]["kept"]
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
        untold=sum(not answer.told for answer in answers),
        cached_input_tokens=sum(answer.cached_input_tokens for answer in answers),
        reasoning_tokens=sum(answer.reasoning_tokens for answer in answers),
    )


def _judge(record: Row, answers: Sequence[GivenAnswer]) -> str:
    judge = record.get("judge") or EXACT_MATCH
    return f"{judge}, revised by hand" if any(answer.judged_by == HAND for answer in answers) else judge
