"""Accuracy by kind of question and by MultiHop-RAG's query type, and shares with their intervals."""

from collections.abc import Iterator, Sequence
from math import fsum

from services.evaluate.statistics.intervals import share_interval
from services.questions.draft import QUERY_TYPES
from services.report.answers import GivenAnswer
from services.report.content import KindRow, Rate

ALL = "all"


def rate_of(name: str, hits: Sequence[bool], clusters: Sequence[str]) -> Rate:
    """The share of hits with its interval by cluster, or Wilson's where there are fewer than two clusters."""
    n, count = len(hits), sum(hits)
    return Rate(name, n, count, count / n if n else None, share_interval(hits, clusters))


def kind_rows(answers: Sequence[GivenAnswer]) -> tuple[KindRow, ...]:
    """A row for each kind that was asked, then one for each query type of several kinds, then one for all.

    Imported questions have a row for each of their set's types. With one row there is no other. A null
    question is right when abstained from (MultiHop-RAG).
    """
    rows = list(_by_kind(answers))
    for query_type in dict.fromkeys((*QUERY_TYPES.values(), *(row.query_type for row in rows))):
        if sum(row.query_type == query_type for row in rows) > 1:
            rows.append(_row(ALL, query_type, [one for one in answers if one.query_type == query_type]))
    if len(rows) > 1:
        rows.append(_row(ALL, ALL, answers))
    return tuple(rows)


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
        exact_match=sum(answer.exact_match for answer in answers) / n if n else None,
        any_word=sum(answer.any_word for answer in answers) / n if n else None,
        f1=fsum(answer.f1 for answer in answers) / n if n else None,
        abstained=sum(answer.abstained for answer in answers),
        errors=sum(bool(answer.error) for answer in answers),
    )
