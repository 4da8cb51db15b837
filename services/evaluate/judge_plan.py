"""Which answers of a run a judge is to be asked about, and whether he may judge them at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from kg.errors import NothingToDoError, UserError
from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from services.evaluate.answers import EXACT_MATCH
from services.evaluate.judge_requests import Judgeable, Judgement, Scale, given_on, plain_judgement


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How a run is judged.

    `second` keeps what counts as right as it is, `prefer` makes this judge the run's. Exact matches are right
    without asking, unless `exact_too`. `limit` is how many answers are asked about at most.
    """

    scale: Scale = "binary"
    second: bool = False
    prefer: bool = False
    same_judge: bool = False
    exact_too: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """The answers of a run as one judge finds them.

    `rows` are all, as `verdicts/list_answers` gives them; `kept` those that he has judged, `plain` those that
    take no call, with their verdicts, `pending` those to ask about, and `left` how many are beyond the limit.
    `leads` says whether what counts as right is to follow this judge.
    """

    rows: Sequence[Row]
    kept: Sequence[Row]
    plain: Sequence[tuple[Judgeable, Judgement]]
    pending: Sequence[Judgeable]
    left: int
    leads: bool


def plan_judging(graph: Graph, corpus: str, run: str, judge: str, options: JudgeOptions) -> JudgePlan:
    """What the judge of this name would do with a run.

    Raises:
        UserError: the judge wrote the answers himself, or the options contradict each other.
        NothingToDoError: there is no such run, or it has no answer.
    """
    found = read_run(graph, corpus, run)
    _refuse(found, judge, options)
    rows = graph.rows(
        query("verdicts/list_answers"), run=run_id(corpus, run), judge=judge, scale=options.scale
    )
    if not rows:
        raise NothingToDoError(
            f"run {run!r} has no answer yet.", f"Let it answer first: kg run start --corpus {quote(corpus)}"
        )
    kept, plain, pending = [], [], []
    for row in rows:
        if row["failed"]:
            continue
        answer = Judgeable(row["id"], row["question"], row["key"], tuple(row["accepted"]), row["text"])
        unasked_exact = row["exact"] and not row["abstained"] and not row["prompt"]
        if row["judged"] == given_on(answer, options.scale) and not (options.exact_too and unasked_exact):
            kept.append(row)
        elif row["abstained"]:
            right = bool(row["unanswerable"])
            plain.append((answer, plain_judgement(right, options.scale, "abstention")))
        elif row["exact"] and not options.exact_too:
            plain.append((answer, plain_judgement(True, options.scale, EXACT_MATCH)))
        else:
            pending.append(answer)
    now = pending[: options.limit]
    return JudgePlan(rows, kept, plain, now, len(pending) - len(now), _leads(found, judge, options))


def followed(graph: Graph, corpus: str, run: str) -> str:
    """Whose verdicts the answers of a run follow: "exact match", or a judge with his scale."""
    found = read_run(graph, corpus, run)
    if found["judge"] in (None, EXACT_MATCH):
        return EXACT_MATCH
    return f"{found['judge']} ({found['judge_scale']})"


def read_run(graph: Graph, corpus: str, run: str) -> Row:
    """A run as it is recorded; `judge_scale` is missing while no judge has judged.

    Raises:
        NothingToDoError: the corpus has none of that name.
    """
    rows = graph.rows(query("runs/read_run"), id=run_id(corpus, run))
    if not rows:
        raise NothingToDoError(
            f"corpus {corpus!r} has no run {run!r}.", f"See the runs: kg run list --corpus {quote(corpus)}"
        )
    return dict(rows[0]["run"])


def bare_name(model: str) -> str:
    """A model's name without its provider's: "openai/gpt-x" and "gpt-x" are one model."""
    return model.rpartition("/")[2].casefold()


def _refuse(found: Row, judge: str, options: JudgeOptions) -> None:
    if options.second and options.prefer:
        raise UserError(
            "a judge can't both leave what counts as right as it is and decide it.",
            "Give one of --second and --prefer.",
        )
    if not options.same_judge and bare_name(judge) == bare_name(found.get("generator") or ""):
        raise UserError(
            f"{judge!r} wrote the answers of run {found['name']!r}, and models favour their own answers.",
            "Name another with --judge MODEL or HOPGRADE_JUDGE_MODEL, or say --same-judge.",
        )


def _leads(found: Row, judge: str, options: JudgeOptions) -> bool:
    if options.second:
        return False
    led_by = found["judge"], found.get("judge_scale")
    return options.prefer or found["judge"] in (None, EXACT_MATCH) or led_by == (judge, options.scale)
