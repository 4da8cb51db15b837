"""Options that all ways to evaluate a system of one's own share."""

from pathlib import Path
from typing import Annotated

import typer

from cli import options
from kg.errors import SettingsError
from services.rag.run_options import GeneratorOption

Name = Annotated[
    str | None,
    typer.Option(
        help="Name of the run, best with a version: ours-0.4. Default: made of what is asked.",
        show_default=False,
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        metavar="RUN",
        help="Run to compare with, or none. Default: the first of Hopgrade's own by rules, if any.",
        show_default=False,
    ),
]
Standard = Annotated[
    Path | None,
    typer.Option(
        "--standard",
        metavar="FOLDER",
        help="Folder of a judged comparison that names this run: ask only its questions.",
        show_default=False,
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=options.MOST,
        help="Questions to ask at most, drawn evenly; more can follow later. Default: all.",
        show_default=False,
    ),
]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Ask again what failed before.")]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Where the report is written, as a page. Default: reports/NAME.html.",
        show_default=False,
    ),
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no page.")]
StatisticsSeed = Annotated[
    int, typer.Option(min=0, max=options.MAX_SEED, help="Seed of bootstrap and sign-flips.")
]
Concurrency = Annotated[int, typer.Option(min=1, max=256, help="Questions that are asked at once.")]
Timeout = Annotated[
    float, typer.Option("--timeout", min=0.1, max=86_400, help="Seconds to wait for an answer.")
]
Retries = Annotated[
    int,
    typer.Option(min=0, max=100, help="How often a question is asked again after a time-out, 429 or 5xx."),
]

ModelTimeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        min=0.1,
        max=86_400,
        help="Seconds to wait for an answer. Default: HOPGRADE_MODEL_TIMEOUT_SECONDS.",
        show_default=False,
    ),
]
ModelRetries = Annotated[
    int | None,
    typer.Option(
        "--retries",
        min=0,
        max=100,
        help="How often a request is sent again that failed. Default: HOPGRADE_MODEL_RETRIES.",
        show_default=False,
    ),
]


def parse_reader(text: str) -> GeneratorOption:
    """Who answers from what was retrieved.

    Raises:
        SettingsError: nobody of this name does.
    """
    match text:
        case "rules":
            return "rules"
        case "model":
            return "model"
        case _:
            raise SettingsError(f"{text!r} can't answer.", "Use --reader rules or --reader model.")
