"""`kg server cache`: the answers of models that are kept, so that nothing is paid for twice."""

from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import groupby
from typing import Annotated

import typer

from cli.console import out, print_json, remark, say, table
from cli.options import AsJson
from cli.session import read_settings
from kg.llm.cache import response_cache

app = typer.Typer(rich_markup_mode=None)

_COLUMNS = ("prompt", "answers", "in", "cached", "out", "thinking")


@app.command(epilog="Example: kg server cache stats --json")
def stats(as_json: AsJson = False) -> None:
    """Show what is kept, by model and prompt, with the tokens that it took.

    Of the tokens in, some came from the endpoint's own cache of prompts; of those out, some went into
    thinking.
    """
    with response_cache(read_settings()) as cache:
        found = cache.stats()
    if as_json:
        print_json({"path": str(cache.path), **asdict(found)})
        return
    for model, groups in groupby(found.groups, lambda group: group.model):
        listed = list(groups)
        rows = [
            (
                group.prompt,
                group.replies,
                group.input_tokens,
                group.cached_input_tokens,
                group.output_tokens,
                group.reasoning_tokens,
            )
            for group in listed
        ]
        first, last = min(group.oldest for group in listed), max(group.newest for group in listed)
        out.print(table(f"Answers of {model}, from {_day(first)} to {_day(last)}", _COLUMNS, rows))
    say(f"{found.replies:,} answers, {found.bytes / 2**20:.1f} MiB in {cache.path}")


@app.command(epilog="Example: kg server cache clear --model some-model --older-than 30")
def clear(
    model: Annotated[
        str | None, typer.Option(help="Only answers of this model. Default: of all.", show_default=False)
    ] = None,
    older_than: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=36_500,
            metavar="DAYS",
            help="Only answers older than so many days.",
            show_default=False,
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete kept answers; asks first. What is deleted is paid for again when it is needed again."""
    span = None if older_than is None else timedelta(days=older_than)
    with response_cache(read_settings()) as cache:
        number = cache.count(model, span)
        if number and not yes and not typer.confirm(f"Delete {_answers(number)}?", err=True):
            remark("kept.")
            raise typer.Exit(1)
        deleted = cache.clear(model, span) if number else 0
    if as_json:
        print_json({"deleted": deleted})
        return
    remark(f"deleted {_answers(deleted)}." if deleted else "there was nothing to delete.")


def _answers(number: int) -> str:
    return f"{number:,} answer{'' if number == 1 else 's'}"


def _day(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d}"
