"""What a model makes of gold items, as a table; and the trial of a job's prompts before money is spent."""

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from rich.console import Console

from cli.console import ConsoleProgress, err, remark, table
from cli.estimate import asks_model, cost_lines
from cli.model_remarks import spending_told
from kg.errors import UserError
from kg.llm.budget import Budget
from kg.llm.open import role_budget
from kg.llm.protocol import Estimate
from kg.progress import Progress
from kg.settings import Settings
from services.preflight.asking import ItemResult, PromptResult, ask_prompts
from services.preflight.job_needs import (
    Need,
    build_needs,
    judge_needs,
    left_to_try,
    question_needs,
    remember_passes,
    run_needs,
)
from services.questions.choice import QuestionChoice
from services.rag.run_estimate import RunEstimate

ITEMS = 3
"""Gold items that each prompt is tried on before a job."""

_FAULTS: tuple[ItemResult, ...] = ("cut off", "not parsed", "wrong", "failed")
_COLUMNS = ("prompt", "model", "passed", "hard", *_FAULTS, "tokens in", "tokens out", "seconds")

_WHOLE_JOB = (
    *build_needs("model", "model"),
    *question_needs(QuestionChoice(generator="model", checks="model")),
    *run_needs(("single-step",)),
    *judge_needs("binary"),
)
"""What a job asks in which models do all that they can do."""

Costs = Callable[[], Mapping[str, Estimate | RunEstimate]]
"""What a job would take, by its parts; empty where it can't be counted yet."""


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
    parts = costs()
    if parts and not any(map(asks_model, parts.values())):
        return
    for line in cost_lines(parts):
        remark(line)
    open_needs = () if skip or not settings.hopgrade_preflight else left_to_try(needs, settings)
    if not open_needs:
        return
    remark(
        "Before the model is asked for this job, its prompts are tried on gold items (--no-preflight: not)."
    )
    results = _try(open_needs, settings, progress, budget)
    print_results(results, "Prompts of this job on gold items", err)
    settle(results, settings)


def try_whole_job(settings: Settings) -> list[PromptResult]:
    """How the models of all roles do on the first gold items of what a whole job asks.

    Raises:
        SettingsError: no model is set for a role.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    budget = role_budget("extract", settings)
    with ConsoleProgress() as progress, spending_told(budget):
        return _try(_WHOLE_JOB, settings, progress, budget)


def settle(results: Sequence[PromptResult], settings: Settings) -> None:
    """Remember which prompts passed.

    Raises:
        UserError: one can't be worked with.
    """
    remember_passes((Need(one.name, one.role) for one in results if not one.unfit), settings)
    unfit = [one for one in results if one.unfit]
    if not unfit:
        return
    first = unfit[0]
    others = f", and {len(unfit) - 1} more" if len(unfit) > 1 else ""
    raise UserError(
        f"the model {first.model!r} fails the prompt {first.name} ({first.unfit}){others}; "
        "nothing of the job was asked.",
        f"See what it said: kg benchmark prompts --model {first.model} --prompt {first.name} --verbose; then "
        "take another model or settings, or go on all the same with --no-preflight.",
    )


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


def _try(
    needs: Sequence[Need], settings: Settings, progress: Progress, budget: Budget | None
) -> list[PromptResult]:
    roles = {need.prompt: need.role for need in needs}
    return ask_prompts(tuple(roles), settings, progress, ITEMS, budget, roles)


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
