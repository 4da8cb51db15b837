"""What produced a run's answers, read from its record and summed over its answers.

Accuracy by kind of question and by MultiHop-RAG's query type, and shares with their intervals.

What a reader must know before the numbers, in sentences.
"""

from collections.abc import Iterator, Sequence
from math import fsum

from kg.errors import command
from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import EXACT_MATCH, HAND, RULES
from services.evaluate.matrix import SMALL, Matrix
from services.evaluate.run_analysis import GivenAnswer, read_answers
from services.evaluate.write_back import Age
from services.questions.draft import QUERY_TYPES
from services.report.content import Compared, KindRow, Rate, RunFacts, RunSection
from services.report.html_values import plural
from services.statistics.clustered_means import share_interval
from services.statistics.intervals import FEW_CLUSTERS, Interval
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


FEW_EFFECTIVE = 30
"""Below so many clusters of equal size, intervals by cluster are wide and unsteady."""


def report_notes(
    sections: Sequence[RunSection], dataset: str, comparisons: Sequence[Compared]
) -> Iterator[str]:
    """Notes on the runs together; `dataset` is the version of the corpus' questions now."""
    versions = sorted({section.facts.dataset for section in sections if section.facts.dataset})
    if len(versions) > 1:
        yield (
            f"The runs answered different versions of the questions ({', '.join(versions)}): comparisons "
            "are over the questions that both of two runs answered."
        )
    for section in sections:
        facts = section.facts
        if dataset and facts.dataset and facts.dataset != dataset:
            yield (f"Run {facts.name!r} answered version {facts.dataset} of the questions, now {dataset}.")
    if len(comparisons) > 1:
        yield (
            f"p-values are adjusted by Holm's method over the {len(comparisons)} comparisons of this report; "
            "a report on fewer runs adjusts less."
        )


def several_tests_note(rows: Sequence[tuple[str, Interval | None, bool]]) -> str:
    """Why some comparisons are not shown to differ although their interval leaves out 0, "" without any.

    Each row is what is compared, the interval of the difference, and whether it is shown after Holm.
    """
    alone = [
        name
        for name, interval, shown in rows
        if interval is not None and not shown and not interval.low <= 0 <= interval.high
    ]
    if not alone:
        return ""
    return (
        f"{', '.join(alone)}: the interval leaves out 0, yet no difference is shown. An interval is about "
        "its row alone; p is adjusted for all comparisons here (Holm), and one such is to be expected."
    )


def run_notes(
    section: RunSection, answers: Sequence[GivenAnswer], elsewhere: int, corpus: str, age: Age | None
) -> Iterator[str]:
    """Notes on one run; `elsewhere` is how many of its answers are to questions that are kept no longer.

    `age` is how old the articles are to the model that answered, None where that isn't known.
    """
    facts, matrix = section.facts, section.matrix
    name = f"Run {facts.name!r}"
    if not facts.finished_at:
        yield f"{name} has not ended: the same command goes on where it was."
    if facts.answers < facts.questions:
        yield f"{name} answered {facts.answers:,} of {facts.questions:,} questions."
    if age is not None and age.warning:
        yield f"{name}: {age.warning}"
    if elsewhere:
        yield f"{name} has {plural(elsewhere, 'answer')} to questions that are kept no longer, left out here."
    if binless := sum(answer.kind == "chain" for answer in answers) - matrix.total.n:
        yield f"{name}: its matrix leaves out {plural(binless, 'chain question')} without a quartile."
    if facts.errors:
        yield f"{name} failed on {plural(facts.errors, 'question')}, which count as wrong."
    if facts.unaligned:
        yield (
            f"{name}: {plural(facts.unaligned, 'retrieved text')} on "
            f"{plural(facts.with_unaligned, 'answer')} are in no chunk of the corpus, and count as nothing "
            "found."
        )
    if facts.untold:
        yield (
            f"{name}: on {plural(facts.untold, 'answer')} the system did not tell what it retrieved, so "
            "where the wrong ones broke is not known."
        )
    if unjudged := count_unjudged(facts.judge, answers):
        yield (
            f"{name}: on {plural(unjudged, 'answer')} its judge gave no verdict, and a rule stands in. "
            f"Go on: {command('run judge', facts.name, '--corpus', corpus)}"
        )
    if missed := miss_note(*count_misses(answers), facts.name, corpus):
        yield f"{name}: {missed}"


def matrix_notes(sections: Sequence[RunSection]) -> Iterator[str]:
    """Notes on the runs' matrices: a sentence that holds of several is said once, with their names."""
    runs: dict[str, list[str]] = {}
    for section in sections:
        for sentence in _on_matrix(section.matrix):
            runs.setdefault(sentence, []).append(repr(section.facts.name))
    for sentence, names in runs.items():
        yield f"{'Run' if len(names) == 1 else 'Runs'} {', '.join(names)}: {sentence}"


def _on_matrix(matrix: Matrix) -> Iterator[str]:
    if matrix.total.n and matrix.small_cells:
        yield (
            f"{matrix.small_cells} of {len(matrix.cells)} cells have fewer than {SMALL} answers, marked *. "
            "Alone they say next to nothing."
        )
    clusters = matrix.clusters
    if clusters.groups > 0 and clusters.effective < FEW_EFFECTIVE:
        rough = "Intervals and tests over so few are rough." if clusters.groups < FEW_CLUSTERS else ""
        yield (
            f"{plural(clusters.questions, 'question')} fall into {plural(clusters.groups, 'cluster')} that "
            f"share evidence, the largest of {clusters.largest}, and are worth {clusters.effective:.1f} "
            f"clusters of equal size. {rough or 'Another corpus could well give other figures.'}"
        )
    if clusters.groups > 1 and clusters.components == 1:
        yield (
            "by all the articles of their evidence the questions hang together in one component, so the "
            "article with the answer is taken for the cluster."
        )


MANY_MISSES = 0.1
"""Where the gold answer stands in a greater share of the answers counted wrong, the rule may be the fault."""


def count_unjudged(judge: str, answers: Sequence[GivenAnswer]) -> int:
    """How many answers a rule has judged that isn't the run's judge; errors are none."""
    others = {rule for rule in RULES.values() if not judge.startswith(rule)}
    if judge.startswith(EXACT_MATCH):
        return 0
    return sum(answer.judged_by in others and not answer.error for answer in answers)


def count_misses(answers: Sequence[GivenAnswer]) -> tuple[int, int]:
    """How many answers count as wrong, and in how many of them the gold answer stands; errors are none."""
    wrong = [answer for answer in answers if not answer.right and not answer.error]
    return len(wrong), sum(answer.holds_key for answer in wrong)


def miss_note(wrong: int, with_key: int, run: str, corpus: str) -> str:
    """A line where the gold answer stands in more than a tenth of the answers counted wrong; else empty."""
    if with_key <= MANY_MISSES * wrong:
        return ""
    return (
        f"in {with_key:,} of {plural(wrong, 'answer')} counted wrong the gold answer stands, beside other "
        "names, a doubt or a denial; some of them may be right. Let a model judge: "
        f"{command('run judge', run, '--corpus', corpus)}"
    )
