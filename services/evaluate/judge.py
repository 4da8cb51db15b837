"""Judging: a model says of every answer of a run whether it is right, and what counts as right follows it.

The answers to prefix questions, where a run has any, are judged and settled with the others.

An answer is right by its verdict by hand, else by that of the run's judge, else by the run's rule: answer
match, or exact match where it was chosen. The statement `answers/settle_answers` says so. The run's judge is
the first model that judged it, until another or a rule is preferred.

Which answers of a run a judge is to be asked about, and whether he may judge them at all.


What a judge is asked about an answer, and what a reply says: right or wrong, or 0, 1 or 2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from kg.corpus import read_properties, write_properties
from kg.errors import NothingToDoError, SettingsError, UserError, command
from kg.ids import content_hash, node_id, run_id
from kg.ledger import recount_stage
from kg.llm.prompts import Prompt, fence, load_prompt
from kg.llm.protocol import Estimate, Failure, JsonValue, Model, ModelRequest, Reply, Schema, json_object
from kg.llm.roles import model_behind
from kg.model import Reject
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import EXACT_MATCH, NULL, RULES, counted_kind
from services.evaluate.write_back import write_matrix
from services.statistics.intervals import draw_stratified

Scale = Literal["binary", "0-2"]
"""`binary` is GRADE's judge (section 3.4); `0-2` AgenticRAGTracer's (figure 23), right from 1."""

RIGHT_FROM = 1
FULL_SCORE = 2

ROOM = 300
"""Tokens for a reason of twenty words and a verdict."""

USUAL: Mapping[Scale, int] = MappingProxyType({"binary": 20, "0-2": 14})
"""Tokens that an ordinary reply takes: 214 recorded binary ones took 16 on average, 14 to 18 by recording; a
score is written in two tokens less than "right"."""

LONGEST_WHY = 300


@dataclass(frozen=True, slots=True)
class Judgeable:
    """An answer as a judge sees it; `key` is the right answer, `accepted` are other names for it."""

    id: str
    question: str
    key: str
    accepted: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an answer is right; `score` is 0, 1 or 2 on that scale, None on the binary one."""

    correct: bool
    score: int | None
    why: str


def judge_prompt(scale: Scale) -> Prompt:
    """The prompt of a scale."""
    return load_prompt("judge-binary") if scale == "binary" else load_prompt("judge-score")


def judge_request(answer: Judgeable, scale: Scale) -> ModelRequest:
    """Is this answer right?"""
    prompt = judge_prompt(scale)
    others = [name for name in dict.fromkeys(answer.accepted) if name != answer.key]
    key = answer.key + (f"\nalso called: {'; '.join(others)}" if others else "")
    messages = prompt.fill(
        question=fence(answer.question, "question"),
        key=fence(key, "key"),
        answer=fence(answer.text, "answer"),
    )
    return ModelRequest(
        messages, prompt.id, _SCHEMAS[scale], max_output_tokens=ROOM, expected_output_tokens=USUAL[scale]
    )


def verdict_key(answer: Judgeable, scale: Scale) -> str:
    """A hash of all that a verdict rests on: with another text, key or prompt, an answer is judged anew."""
    shown = (answer.question, answer.key, *answer.accepted, answer.text)
    return content_hash((judge_prompt(scale).id, *shown))


def read_judgement(reply: Reply) -> Judgement:
    """What a reply says; it fits the schema of its scale already."""
    said = reply.value
    if not isinstance(said, dict):
        raise TypeError(f"a reply that fits its schema is an object, not {type(said).__name__}")
    why = " ".join(str(said["reason"]).split())[:LONGEST_WHY]
    if "score" in said:
        score = int(said["score"])
        return Judgement(score >= RIGHT_FROM, score, why)
    return Judgement(said["verdict"] == "right", None, why)


def plain_judgement(correct: bool, scale: Scale, why: str) -> Judgement:
    """A verdict that takes no judge."""
    score = FULL_SCORE if correct else 0
    return Judgement(correct, score if scale == "0-2" else None, why)


def _schema(name: str, verdict: str, values: Sequence[JsonValue], kind: str) -> Schema:
    # The reason comes first, so that a model has thought before it decides.
    properties: dict[str, JsonValue] = {
        "reason": {"type": "string"},
        verdict: {"type": kind, "enum": list(values)},
    }
    return Schema(name, json_object(**properties))


_SCHEMAS: dict[Scale, Schema] = {
    "binary": _schema("mark", "verdict", ("right", "wrong"), "string"),
    "0-2": _schema("score", "score", (0, 1, FULL_SCORE), "integer"),
}


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How a run is judged.

    `second` keeps what counts as right as it is, `prefer` makes this judge the run's. Exact matches are right
    without asking, unless `exact_too`. `limit` is how many answers are asked about at most; a `second` judge
    has them drawn with `seed`, of each kind, number of hops and what counts now its share (AgenticRAGTracer,
    appendix G).

    Raises:
        SettingsError: the judge would both leave what counts as it is and decide it.
    """

    scale: Scale = "binary"
    second: bool = False
    prefer: bool = False
    same_judge: bool = False
    exact_too: bool = False
    limit: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.second and self.prefer:
            raise SettingsError(
                "a judge can't both leave what counts as right as it is and decide it.",
                "Give one of --second and --prefer.",
            )


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """The answers of a run as one judge finds them.

    `rows` are all, as `answers/list_for_judge` gives them; `known_verdicts` those that he has judged, `plain`
    those that take no call, with their verdicts, `pending` those to ask about, and `beyond_limit` how many
    are beyond the limit. `leads` says whether what counts as right is to follow this judge.
    """

    rows: Sequence[Row]
    known_verdicts: Sequence[Row]
    plain: Sequence[tuple[Judgeable, Judgement]]
    pending: Sequence[Judgeable]
    beyond_limit: int
    leads: bool


def plan_judging(graph: Graph, corpus: str, run: str, judge: str, options: JudgeOptions) -> JudgePlan:
    """What the judge of this name would do with a run.

    Raises:
        UserError: the judge wrote the answers himself, or is the run's and can't be a second one.
        NothingToDoError: there is no such run, or it has no answer.
    """
    found = read_run(graph, corpus, run)
    _refuse(found, judge, options)
    rows = graph.rows(
        query("answers/list_for_judge"), run=run_id(corpus, run), judge=judge, scale=options.scale
    )
    if not rows:
        raise NothingToDoError(
            f"run {run!r} has no answer yet.", f"Let it answer first: {command('run start --corpus', corpus)}"
        )
    kept, plain, waiting = [], [], dict[Judgeable, Row]()
    for row in rows:
        if row["failed"]:
            continue
        answer = Judgeable(row["id"], row["question"], row["key"], tuple(row["accepted"]), row["text"])
        unasked_exact = row["exact"] and not row["abstained"] and not row["prompt"]
        if row["judged"] == verdict_key(answer, options.scale) and not (options.exact_too and unasked_exact):
            kept.append(row)
        elif row["abstained"]:
            right = counted_kind(row["kind"], row["query_type"]) == NULL
            plain.append((answer, plain_judgement(right, options.scale, "abstention")))
        elif row["exact"] and not options.exact_too:
            plain.append((answer, plain_judgement(True, options.scale, EXACT_MATCH)))
        else:
            waiting[answer] = row
    now = list(waiting)[: options.limit]
    if options.second and options.limit is not None:
        strata = [(row["kind"], row["hops"], row["settled"]) for row in waiting.values()]
        drawn = draw_stratified(strata, options.limit, options.seed)
        now = [list(waiting)[at] for at in sorted(drawn)]
    return JudgePlan(rows, kept, plain, now, len(waiting) - len(now), _leads(found, judge, options))


def verdict_source(graph: Graph, corpus: str, run: str) -> str:
    """What the answers of a run go by: "answer match", "exact match", or a judge with his scale."""
    found = read_run(graph, corpus, run)
    if found["judge"] in (None, *RULES.values()):
        return found["judge"] or EXACT_MATCH
    return f"{found['judge']} ({found['judge_scale']})"


def read_run(graph: Graph, corpus: str, run: str) -> Row:
    """A run as it is recorded; `judge_scale` is missing while no judge has judged.

    Raises:
        NothingToDoError: the corpus has none of that name.
    """
    found = read_properties(graph, run_id(corpus, run))
    if not found:
        raise NothingToDoError(
            f"corpus {corpus!r} has no run {run!r}.", f"See the runs: {command('run list --corpus', corpus)}"
        )
    return found


def _refuse(found: Row, judge: str, options: JudgeOptions) -> None:
    led_by = found["judge"] or ""
    if options.second and judge != led_by and model_behind(judge) == model_behind(led_by):
        raise UserError(
            f"{judge!r} is the model that judged run {found['name']!r} already, as {led_by!r}; it is no "
            "second judge.",
            "Name another model with --judge MODEL.",
        )
    if not options.same_judge and model_behind(judge) == model_behind(found.get("generator") or ""):
        raise UserError(
            f"{judge!r} wrote the answers of run {found['name']!r}, and models favour their own answers.",
            "Name another with --judge MODEL or HOPGRADE_JUDGE_MODEL, or say --same-judge.",
        )


def _leads(found: Row, judge: str, options: JudgeOptions) -> bool:
    if options.second:
        return False
    led_by = found["judge"], found.get("judge_scale")
    return options.prefer or found["judge"] in (None, *RULES.values()) or led_by == (judge, options.scale)


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
                failures.append(Reject(answer.id, outcome.message))
            else:
                verdicts.add(answer, read_judgement(outcome), prompt)
            progress.advance()
    finally:
        verdicts.write()
        if plan.leads and (verdicts.right or plan.known_verdicts):
            _follow(graph, corpus, run, model.name, options.scale)
        settle_answers(graph, corpus, run, progress)
    progress.end(f"{len(verdicts.right):,} verdicts, {len(failures):,} failures")
    right = {row["id"]: row["right"] for row in plan.known_verdicts} | verdicts.right
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
        left=plan.beyond_limit,
        failures=tuple(failures),
        follows=verdict_source(graph, corpus, run),
    )


def estimate_judging(graph: Graph, corpus: str, run: str, model: Model, options: JudgeOptions) -> Estimate:
    """What `judge_run` would take; nothing is sent and nothing is written.

    Raises:
        UserError, NothingToDoError: as `plan_judging`.
    """
    plan = plan_judging(graph, corpus, run, model.name, options)
    return model.estimate(judge_request(answer, options.scale) for answer in plan.pending)


def follow_rule(graph: Graph, corpus: str, run: str, rule: str, progress: Progress) -> None:
    """Let a rule, answer match or exact match, decide what counts as right in a run; verdicts stay beside it,
    and those by hand go before. Answers of versions that knew exact match only go by that.

    Raises:
        NothingToDoError: there is no such run.
    """
    if verdict_source(graph, corpus, run) == rule:
        return
    _follow(graph, corpus, run, rule, None)
    settle_answers(graph, corpus, run, progress)


def _follow(graph: Graph, corpus: str, run: str, judge: str, scale: str | None) -> None:
    """Note whose verdicts the answers of a run follow, and on which scale; a rule has none."""
    write_properties(graph, run_id(corpus, run), {"judge": judge, "judge_scale": scale})


def settle_answers(graph: Graph, corpus: str, run: str, progress: Progress) -> None:
    """Make the answers of a run follow their verdicts; so do matrix, error rates and ledger."""
    node = run_id(corpus, run)
    graph.rows(query("answers/settle_answers"), run=node)
    recount_stage(graph, corpus, f"matrix {run}", write_matrix(graph, corpus, run, progress))
    recount_stage(
        graph,
        corpus,
        f"run {run}",
        dict(graph.rows(query("answers/count_answers"), run=node, prefixes=False)[0]),
    )
    prefixes = dict(graph.rows(query("answers/count_answers"), run=node, prefixes=True)[0])
    recount_stage(graph, corpus, f"prefixes {run}", prefixes)


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
                    "given_on": verdict_key(answer, self._scale),
                },
            }
        )
        self.right[answer.id] = judgement.correct
        if len(self._rows) >= ANSWERS_A_BATCH:
            self.write()

    def write(self) -> None:
        """Write what is not written yet."""
        if self._rows:
            self._graph.rows(query("answers/write_verdicts"), corpus=self._corpus, rows=self._rows)
            self._rows = []
