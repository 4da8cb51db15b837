"""Judging: a model says of every answer of a run whether it is right, and what counts as right follows it.

The answers to prefix questions, where a run has any, are judged and settled with the others.

An answer is right by its verdict by hand, else by that of the run's judge, else by exact match; the
statement `verdicts/settle_answers` is that rule. The run's judge is the first that judged it, until another
is preferred.
"""

from dataclasses import dataclass

from kg.ids import node_id, run_id
from kg.ledger import recount_stage
from kg.llm.protocol import Estimate, Failure, Model
from kg.model import Reject
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row
from services.evaluate.judge_agreement import read_judge_pairs
from services.evaluate.judge_plan import JudgeOptions, followed, plan_judging
from services.evaluate.judge_requests import (
    Judgeable,
    Judgement,
    Scale,
    given_on,
    judge_prompt,
    judge_request,
    read_judgement,
)
from services.evaluate.statistics.agreement import Agreement
from services.evaluate.write_back import write_matrix

ANSWERS_A_BATCH = 32
"""Verdicts in one transaction: few, so that little is asked of the cache again after a kill."""


@dataclass(frozen=True, slots=True)
class Judging:
    """What came of judging a run.

    `right` of the `judged` answers, now and before, are right by this judge; `exact` of them are exact
    matches. `asked` were asked about now, `plain` took no call (abstentions, and exact matches unless
    these are asked about too), `failures` are those without a usable reply, `errors` answers that failed
    themselves, and `left` those beyond the limit. `follows` is whose verdicts count.
    """

    run: str
    judge: str
    scale: Scale
    prompt: str
    answers: int
    judged: int
    right: int
    exact: int
    asked: int
    plain: int
    errors: int
    left: int
    failures: tuple[Reject, ...]
    follows: str


def judge_run(
    graph: Graph, corpus: str, run: str, model: Model, options: JudgeOptions, progress: Progress
) -> Judging:
    """Judge the answers of a run that this judge has not judged; write its matrix and rates anew.

    However it ends, what was judged is written and counts. An answer without a usable reply gets no verdict,
    and is asked about again next time.

    Raises:
        UserError, NothingToDoError: as `plan_judging`.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    plan = plan_judging(graph, corpus, run, model.name, options)
    prompt = judge_prompt(options.scale).id
    progress.begin(f"judge {run}", len(plan.pending))
    verdicts = _Verdicts(graph, corpus, model.name, options.scale)
    failures: list[Reject] = []
    try:
        for answer, judgement in plan.plain:
            verdicts.add(answer, judgement, prompt="")
        requests = (judge_request(answer, options.scale) for answer in plan.pending)
        for answer, outcome in zip(plan.pending, model.ask(requests), strict=True):
            if isinstance(outcome, Failure):
                failures.append(Reject(answer.id, outcome.told))
            else:
                verdicts.add(answer, read_judgement(outcome), prompt)
            progress.advance()
    finally:
        verdicts.write()
        if plan.leads and (verdicts.right or plan.kept):
            graph.rows(
                query("verdicts/follow_judge"), run=run_id(corpus, run), judge=model.name, scale=options.scale
            )
        settle_answers(graph, corpus, run, progress)
    progress.end(f"{len(verdicts.right):,} verdicts, {len(failures):,} failures")
    right = {row["id"]: row["right"] for row in plan.kept} | verdicts.right
    return Judging(
        run=run,
        judge=model.name,
        scale=options.scale,
        prompt=prompt,
        answers=len(plan.rows),
        judged=len(right),
        right=sum(right.values()),
        exact=sum(row["exact"] for row in plan.rows if row["id"] in right),
        asked=len(plan.pending),
        plain=len(plan.plain),
        errors=sum(row["failed"] for row in plan.rows),
        left=plan.left,
        failures=tuple(failures),
        follows=followed(graph, corpus, run),
    )


def estimate_judging(graph: Graph, corpus: str, run: str, model: Model, options: JudgeOptions) -> Estimate:
    """What `judge_run` would take; nothing is sent and nothing is written.

    Raises:
        UserError, NothingToDoError: as `plan_judging`.
    """
    plan = plan_judging(graph, corpus, run, model.name, options)
    return model.estimate(judge_request(answer, options.scale) for answer in plan.pending)


def settle_answers(graph: Graph, corpus: str, run: str, progress: Progress) -> None:
    """Make the answers of a run follow their verdicts; so do matrix, error rates and ledger."""
    node = run_id(corpus, run)
    graph.rows(query("verdicts/settle_answers"), run=node)
    recount_stage(graph, corpus, f"matrix {run}", write_matrix(graph, corpus, run, progress))
    recount_stage(graph, corpus, f"run {run}", dict(graph.rows(query("runs/count_answers"), run=node)[0]))
    prefixes = dict(graph.rows(query("prefixes/count_answers"), run=node)[0])
    recount_stage(graph, corpus, f"prefixes {run}", prefixes)


def read_agreements(graph: Graph, corpus: str, run: str) -> tuple[Agreement, ...]:
    """How far every two judges of a run agree, exact match among them; empty where none has judged it."""
    return tuple(pair.agreement for pair in read_judge_pairs(graph, run_id(corpus, run)))


class _Verdicts:
    """Verdicts on their way into the graph; `right` holds those that were added, by answer."""

    def __init__(self, graph: Graph, corpus: str, judge: str, scale: Scale) -> None:
        self._graph, self._corpus, self._judge, self._scale = graph, corpus, judge, scale
        self._rows: list[Row] = []
        self.right: dict[str, bool] = {}

    def add(self, answer: Judgeable, judgement: Judgement, prompt: str) -> None:
        """Take a verdict, and write it with those before it once there are enough."""
        self._rows.append(
            {
                "answer": answer.id,
                "verdict": {
                    "id": node_id(self._corpus, "verdict", answer.id, self._judge, self._scale),
                    "judge": self._judge,
                    "scale": self._scale,
                    "correct": judgement.correct,
                    "score": judgement.score,
                    "why": judgement.why,
                    "by_hand": False,
                    "prompt": prompt,
                    "given_on": given_on(answer, self._scale),
                },
            }
        )
        self.right[answer.id] = judgement.correct
        if len(self._rows) >= ANSWERS_A_BATCH:
            self.write()

    def write(self) -> None:
        """Write what is not written yet."""
        if self._rows:
            self._graph.rows(query("verdicts/write_verdicts"), corpus=self._corpus, rows=self._rows)
            self._rows = []
