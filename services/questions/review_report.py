"""What annotators decided, and how far they agree: Fleiss' kappa over questions that at least two decided."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.store.graph import Row
from services.evaluate.statistics.agreement import Kappa, fleiss_kappa


@dataclass(frozen=True, slots=True)
class AnnotatorCounts:
    """How often an annotator decided what."""

    annotator: str
    keep: int
    drop: int
    edit: int

    @property
    def total(self) -> int:
        """All decisions."""
        return self.keep + self.drop + self.edit


@dataclass(frozen=True, slots=True)
class FilterAudit:
    """Rejected questions that people looked at, by the filter that rejected them.

    `wanted` are those that more annotators would keep than drop, so that the filter was too strict.
    """

    filter: str
    questions: int
    wanted: int


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """The state of a review.

    `decisions` is the kappa over keep, drop and edit, `retained` that over retain (keep or edit) and discard,
    as AgenticRAGTracer counts (appendix E); None where no question has two annotators. `questions` were
    decided by somebody, `shared` by two or more, `dropped` are not asked any more, `edited` have another
    text, and on `tied` as many annotators drop as keep, which leaves them kept.
    """

    questions: int
    shared: int
    dropped: int
    edited: int
    tied: int
    annotators: tuple[AnnotatorCounts, ...]
    decisions: Kappa | None
    retained: Kappa | None
    filters: tuple[FilterAudit, ...]


def report_reviews(rows: Sequence[Row]) -> ReviewReport:
    """The state of a review from its decisions, the rows of `reviews/read_reviews`."""
    by_question: dict[str, Counter[str]] = defaultdict(Counter)
    by_annotator: dict[str, Counter[str]] = defaultdict(Counter)
    about: dict[str, Row] = {}
    for row in rows:
        by_question[row["question"]][row["decision"]] += 1
        by_annotator[row["annotator"]][row["decision"]] += 1
        about[row["question"]] = row
    asked = {one: made for one, made in by_question.items() if about[one]["status"] != "rejected"}
    return ReviewReport(
        questions=len(by_question),
        shared=sum(made.total() > 1 for made in by_question.values()),
        dropped=sum(about[one]["status"] == "dropped" for one in asked),
        edited=sum(made["edit"] > 0 for made in asked.values()),
        tied=sum(_retained(made)["retain"] == made["drop"] for made in asked.values()),
        annotators=tuple(
            AnnotatorCounts(name, made["keep"], made["drop"], made["edit"])
            for name, made in sorted(by_annotator.items())
        ),
        decisions=fleiss_kappa(list(by_question.values())),
        retained=fleiss_kappa([_retained(made) for made in by_question.values()]),
        filters=_audit(by_question, about),
    )


def _retained(made: Mapping[str, int]) -> dict[str, int]:
    return {"retain": made.get("keep", 0) + made.get("edit", 0), "discard": made.get("drop", 0)}


def _audit(by_question: Mapping[str, Counter[str]], about: Mapping[str, Row]) -> tuple[FilterAudit, ...]:
    seen: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    for question, made in by_question.items():
        if about[question]["status"] == "rejected":
            name = about[question]["rejected_by"] or ""
            seen[name] += 1
            wanted[name] += _retained(made)["retain"] > made["drop"]
    return tuple(FilterAudit(name, seen[name], wanted[name]) for name in sorted(seen))
