"""What a model makes of gold items, as a table; and the trial of a job's prompts before money is spent.

What is said of calls, tokens and money that models would take: by `--dry-run`, and before a job begins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import get_args

from rich.console import Console

from cli.console import ConsoleProgress, err, out, print_json, remark, say, table
from cli.remarks import report_spending
from kg.llm.budget import Budget, format_calls
from kg.llm.protocol import Estimate
from kg.llm.roles import role_budget
from kg.progress import Progress
from kg.settings import Settings
from services.job_projection import Projection
from services.preflight.asking import (
    Costs,
    ItemResult,
    PromptResult,
    begin_trial,
    in_money,
    settle,
    try_needs,
)
from services.preflight.job_needs import (
    Need,
    build_needs,
    judge_needs,
    question_needs,
    run_needs,
)
from services.questions.choice import QuestionChoice
from services.runs.estimate import RunEstimate
from services.settled_options import BuildEstimate

COLUMNS = ("step", "calls", "kept", "tokens in", "tokens out", "money")


def print_estimate(estimate: BuildEstimate, as_json: bool) -> None:
    """The estimate as a table, or as one JSON document."""
    if as_json:
        print_json(asdict(estimate))
        return
    if not estimate.parts:
        say("No model is asked: claims and links are found by rules.")
        return
    print_parts(estimate.parts)
    if estimate.links_expected:
        say(
            "The figure for links is an expectation from the number of sentences: their requests can be "
            "counted once the claims are read and clustered.",
            "dim",
        )
    say_nothing_was_sent()


def print_parts(parts: Mapping[str, Estimate]) -> None:
    """What each step would take, as a table."""
    rows = [_row_estimate(step, part) for step, part in parts.items()]
    out.print(table("What models would take", COLUMNS, rows))
    say(
        "About so much, and in brackets the most that it can be. Kept: calls whose answers are there from "
        "before, which cost nothing. Answers that must be asked for again come on top.",
        "dim",
    )
    if any(part.money_at_most is None and part.calls > part.cached for part in parts.values()):
        say(
            "For money, put the model's prices for a million tokens in and out into HOPGRADE_MODEL_PRICES: "
            '{"its-name": [0.15, 0.60]}.',
            "dim",
        )


def print_answer_costs(estimate: Estimate | RunEstimate) -> None:
    """What answers would take: counted, as a table, or expected and at most, in sentences."""
    if not (estimate.calls if isinstance(estimate, Estimate) else estimate.calls_at_most):
        say("No model would be asked.")
        return
    if isinstance(estimate, Estimate):
        print_parts({"answers": estimate})
        say_nothing_was_sent()
        return
    say(
        f"Expected: about {format_calls(estimate.calls_expected)}, {estimate.input_tokens_expected:,} tokens "
        f"in and {estimate.output_tokens_expected:,} out{in_money(estimate.money_expected)}; what a "
        "model thinks before it answers comes on top."
    )
    say(
        f"At most {format_calls(estimate.calls_at_most)}, {estimate.input_tokens_at_most:,} tokens in and "
        f"{estimate.output_tokens_at_most:,} out{in_money(estimate.money_at_most)}; replies that are "
        "kept cost nothing."
    )
    if estimate.assumes:
        say(estimate.assumes)


def print_projection(found: Projection) -> None:
    """What a whole job may take, as a table, and for what size that is."""
    size = f"corpus {found.corpus!r}, " if found.corpus else ""
    rows = [
        (one.name, one.calls, f"{one.input_tokens:,}", f"{one.output_tokens:,}", _price(one.money))
        for one in found.steps
    ]
    title = f"A job with models may take, for {size}{found.articles:,} articles"
    out.print(table(title, ("step", "calls", "tokens in", "tokens out", "money"), rows))
    say(
        "By what recorded jobs took (docs/evaluation/model.md): extraction and links by the length of the "
        f"articles, the other steps for {found.questions:,} kept questions, each answered by one system. "
        + ("" if found.corpus else "No corpus is at hand, so articles of the usual length are taken. ")
        + ("" if found.money is None else f"In all {found.money:.4f} in money. ")
        + "--dry-run of each command counts what it would really send.",
        "dim",
    )


def _price(money: float | None) -> str:
    return "no price" if money is None else f"{money:.4f}"


def say_nothing_was_sent() -> None:
    """The last line of an estimate."""
    say("Nothing was sent. To stop at a limit, set HOPGRADE_BUDGET_TOKENS or HOPGRADE_BUDGET_MONEY.", "dim")


def _row_estimate(step: str, estimate: Estimate) -> list[object]:
    money = "no price"
    if estimate.money is not None and estimate.money_at_most is not None:
        money = _about(f"{estimate.money:.4f}", f"{estimate.money_at_most:.4f}")
    return [
        step,
        estimate.calls,
        estimate.cached,
        _about(f"{estimate.input_tokens:,}", f"{estimate.input_tokens_at_most:,}"),
        _about(f"{estimate.output_tokens:,}", f"{estimate.output_tokens_at_most:,}"),
        money,
    ]


def _about(likely: str, at_most: str) -> str:
    return f"{likely} ({at_most})"


_FAULTS: tuple[ItemResult, ...] = ("cut off", "not parsed", "wrong", "failed")
_COLUMNS = ("prompt", "model", "passed", "hard", *_FAULTS, "tokens in", "tokens out", "seconds")

_WHOLE_JOB = (
    *build_needs("model", "model"),
    *question_needs(QuestionChoice(generator="model", checks="model")),
    *run_needs(("single-step",)),
    *judge_needs("binary"),
)
"""What a job asks in which models do all that they can do."""


def preflight(
    settings: Settings,
    needs: Sequence[Need],
    costs: Costs,
    progress: Progress,
    budget: Budget | None = None,
    *,
    skip: bool = False,
) -> None:
    """Tell what a job would take, and try those of its prompts that its model has not passed before.

    Nothing where no model is asked; nothing is tried with `skip` or HOPGRADE_PREFLIGHT=false.

    Raises:
        UserError: a prompt can't be worked with; nothing of the job was asked yet.
        SettingsError: no model is set for a role.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    open_needs = begin_trial(needs, costs, settings, remark, skip=skip)
    if not open_needs:
        return
    remark(
        "Before the model is asked for this job, its prompts are tried on a few inputs whose right replies "
        "are known (--no-preflight: not)."
    )
    results = try_needs(open_needs, settings, progress, budget)
    print_results(results, "Prompts of this job on inputs with known replies", err)
    settle(results, settings)


def try_whole_job(settings: Settings) -> list[PromptResult]:
    """How the models of all roles do on the first gold items of what a whole job asks.

    Raises:
        SettingsError: no model is set for a role.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    budget = role_budget("extract", settings)
    with ConsoleProgress() as progress, report_spending(budget, progress):
        return try_needs(_WHOLE_JOB, settings, progress, budget)


def print_results(results: Sequence[PromptResult], title: str, console: Console) -> None:
    """A line for each prompt, and one for all."""
    rows = [_row(one) for one in results]
    if len(rows) > 1:
        rows.append(["all", "", *_cells(results)])
    models = {one.model for one in results}
    columns = list(_COLUMNS)
    if len(models) == 1:
        title = f"{title}, by {models.pop()}"
        rows = [[*row[:1], *row[2:]] for row in rows]
        columns.remove("model")
    console.print(table(title, columns, rows))
    console.print(
        "Hard: passed, of the inputs that models often get wrong. Cut off: the room for the reply ended; not "
        "parsed: not in the form asked for; failed: refused, or no reply. Kept replies take no tokens and no "
        "seconds. A job does not begin where a prompt passed on no input, or half of its replies were cut "
        "off, not parsed or failed.",
        style="dim",
        soft_wrap=True,
    )


def results_json(results: Sequence[PromptResult]) -> dict[str, object]:
    """The results for programs: a row a prompt, and each item with what became of it."""
    return {
        "prompts": [
            {
                "prompt": one.prompt,
                "model": one.model,
                "items": len(one.outcomes),
                "hard_items": one.hard,
                "passed": one.count("passed"),
                "hard_passed": one.count("passed", hard=True),
                **{kind.replace(" ", "_"): one.count(kind) for kind in get_args(ItemResult)[1:]},
                "input_tokens": one.input_tokens,
                "output_tokens": one.output_tokens,
                "seconds": round(one.seconds, 3),
                "outcomes": [
                    {
                        "item": outcome.item.id,
                        "hard": outcome.item.hard,
                        "result": outcome.result,
                        "why": outcome.why,
                        "reply": outcome.reply,
                    }
                    for outcome in one.outcomes
                ],
            }
            for one in results
        ]
    }


def _row(one: PromptResult) -> list[object]:
    return [one.prompt, one.model, *_cells([one])]


def _cells(results: Sequence[PromptResult]) -> list[object]:
    """What stands behind prompt and model, for some results together."""
    asked, hard = sum(len(one.outcomes) for one in results), sum(one.hard for one in results)
    return [
        f"{sum(one.count('passed') for one in results)} of {asked}",
        f"{sum(one.count('passed', hard=True) for one in results)} of {hard}",
        *(sum(one.count(kind) for one in results) for kind in _FAULTS),
        sum(one.input_tokens for one in results),
        sum(one.output_tokens for one in results),
        round(sum(one.seconds for one in results), 1),
    ]
