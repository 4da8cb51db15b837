"""`kg benchmark prompts`: how a model does on the gold items of every prompt."""

from collections.abc import Sequence
from typing import Annotated, get_args

import typer

from cli.console import ConsoleProgress, out, print_json, say
from cli.options import MOST, AsJson, Provider
from cli.preflight import print_results, results_json
from cli.remarks import spending_told
from cli.session import read_settings
from kg.errors import SettingsError
from kg.llm.open import role_budget
from kg.llm.protocol import Role
from kg.llm.roles import with_provider
from kg.settings import Settings
from services.preflight.asking import PromptResult, ask_prompts
from services.preflight.gold import gold_prompts

app = typer.Typer(rich_markup_mode=None)

_SHOWN = 400
"""Characters of a reply that --verbose prints."""


@app.command(
    "prompts", epilog="Example: kg benchmark prompts --model some-model --prompt find-triples --verbose"
)
def prompts(
    model: Annotated[
        str | None,
        typer.Option(
            help="The model to measure. Default: HOPGRADE_MODEL and those of roles.", show_default=False
        ),
    ] = None,
    prompt: Annotated[
        list[str],
        typer.Option("--prompt", metavar="NAME", help="Only this prompt; may be repeated. Default: all."),
    ] = [],  # noqa: B006
    items: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST, help="Gold items of each prompt at most. Default: all.", show_default=False
        ),
    ] = None,
    provider: Provider = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="List each item that did not pass, with why and what was said.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure a model on the gold items of the prompts: passed, cut off, not parsed, wrong, tokens, seconds.

    The items ship with Hopgrade, with hard cases among them, so that figures of two models can be compared.
    Replies that are kept cost nothing and take no time.
    """
    settings = _settings_of(read_settings(), provider, model)
    names = _names(prompt)
    budget = role_budget("answer", settings)
    with ConsoleProgress() as progress, spending_told(budget):
        results = ask_prompts(names, settings, progress, items, budget)
    if as_json:
        print_json(results_json(results))
        return
    print_results(results, "Gold items", out)
    if verbose:
        _print_failed(results)


def _names(given: Sequence[str]) -> tuple[str, ...]:
    known = gold_prompts()
    unknown = [name for name in given if name not in known]
    if unknown:
        raise SettingsError(f"there is no prompt {unknown[0]!r}.", f"Use one of: {', '.join(known)}.")
    return tuple(dict.fromkeys(given)) or known


def _settings_of(settings: Settings, provider: str | None, model: str | None) -> Settings:
    if provider is None and model is None:
        return settings
    for role in get_args(Role):
        settings = with_provider(settings, role, provider, model)
    return settings


def _print_failed(results: Sequence[PromptResult]) -> None:
    for one in results:
        for outcome in one.outcomes:
            if outcome.result == "passed":
                continue
            hard = f" (hard: {outcome.item.note})" if outcome.item.hard else ""
            say(f"\n{one.prompt}, {outcome.item.id}{hard}: {outcome.result}", "bold")
            say(f"  {outcome.why}")
            if outcome.reply:
                said = " ".join(outcome.reply.split())
                say(f"  it said: {said[:_SHOWN]}{' ...' if len(said) > _SHOWN else ''}", "dim")
