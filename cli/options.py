"""Options that several commands share, so that they read the same everywhere.

Options that all ways to evaluate a system of one's own share.

Options of commands that leave traces outside the graph: log files, and OpenTelemetry spans.
"""

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from cli.completion import complete_corpora, complete_questions, complete_runs
from kg.errors import SettingsError
from kg.llm.roles import PROVIDERS
from kg.paths.protocol import DEPTHS
from kg.settings import Settings
from services.rag.telemetry import LOCAL_COLLECTOR


def day_of(given: datetime | None) -> date | None:
    """The day that --since or --until names."""
    return given.date() if given else None


def split_list(text: str) -> list[str]:
    """The parts of a list with commas, without blanks around them."""
    return [part.strip() for part in text.split(",") if part.strip()]


def listed_numbers(text: str, option: str, most: int) -> list[int]:
    """The whole numbers from 1 to `most` of a list with commas.

    Raises:
        SettingsError: the option has none, or something else.
    """
    found = split_list(text)
    if not found or not all(part.isdecimal() and 0 < int(part) <= most for part in found):
        raise SettingsError(
            f"{option} {text!r} is no list of numbers from 1 to {most:,}.", f"Write one like {option} 5,10."
        )
    return [int(part) for part in found]


MOST = 1_000_000_000
"""The largest number that an option may be; far larger ones fit neither Neo4j nor a machine."""
MAX_SEED = 2**32 - 1
"""The largest seed; generators take none below 0."""

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Articles: JSONL, a JSON array, CSV or TSV, or a folder of .txt and .md; also the corpora and "
        "question files with passages of MultiHop-RAG, HotpotQA, 2WikiMultiHopQA, MuSiQue, MoreHopQA, BEIR.",
        show_default=False,
    ),
]
CorpusToFill = Annotated[
    str,
    typer.Option(
        "--corpus",
        help="Name of the corpus; it is made when it is new.",
        autocompletion=complete_corpora,
    ),
]
Corpus = Annotated[
    str | None,
    typer.Option(
        "--corpus",
        help="Name of the corpus. Default: the only one.",
        show_default=False,
        autocompletion=complete_corpora,
    ),
]
Map = Annotated[
    list[str],
    typer.Option("--map", metavar="FIELD=COLUMN", help="Column of a field, as in --map title=headline."),
]
MinTokens = Annotated[int, typer.Option(min=1, max=MOST, help="Set aside articles with fewer tokens.")]
MaxTokens = Annotated[int, typer.Option(min=1, max=MOST, help="Set aside articles with more tokens.")]
Since = Annotated[
    datetime | None,
    typer.Option(
        formats=["%Y-%m-%d"],
        metavar="DAY",
        help="Set aside articles that were published before this day, as in 2024-07-01. Default: any day.",
        show_default=False,
    ),
]
Until = Annotated[
    datetime | None,
    typer.Option(
        formats=["%Y-%m-%d"],
        metavar="DAY",
        help="Set aside articles that were published after this day. Default: any day.",
        show_default=False,
    ),
]
FirstArticles = Annotated[
    int | None,
    typer.Option(
        "--limit",
        "--max-articles",
        min=1,
        max=MOST,
        help="Take the first so many articles that fit; a larger number adds the rest later. Default: all.",
        show_default=False,
    ),
]
Chunks = Annotated[
    str | None,
    typer.Option(
        help="Chunk size in tokens: small, medium, large, or like 128-256/50 (overlap last); fixed for a "
        "corpus. Default: the corpus' own, medium for a new one.",
        show_default=False,
    ),
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        help="builtin, sentence-transformers:MODEL or openai:MODEL, with the prefixes that the model wants; "
        "fixed for a corpus. Default: the corpus' own, builtin for a new one.",
        show_default=False,
    ),
]
Extractor = Annotated[
    str | None,
    typer.Option(
        "--extractor",
        help="Who reads claims and triples: rules, model (HOPGRADE_EXTRACT_MODEL), or model-concepts, which "
        "takes facts without a name too and is what model means where a corpus begins with --concepts; fixed "
        "for a corpus. Default: the corpus' own, rules for a new one.",
        show_default=False,
    ),
]
Links = Annotated[
    str | None,
    typer.Option(
        "--links",
        help="Who looks for names that mean the same: rules, or model. Default: as before, at first rules.",
        show_default=False,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="Who does independent work: local, ray (the Ray of this machine) or ray://HOST:PORT; what comes "
        "of it is the same. Default: HOPGRADE_ENGINE, at first local.",
        show_default=False,
    ),
]
ThroughHubs = Annotated[
    bool | None,
    typer.Option(
        "--through-hubs/--not-through-hubs",
        help="Let paths go through hubs, such as a country or a weekday. Default: as before, at first not.",
        show_default=False,
    ),
]
Concepts = Annotated[
    bool | None,
    typer.Option(
        "--concepts/--names-only",
        help='Let any noun phrase ("respiratory depression") be an end of a hop, not only names and dates. '
        "Default: as before, at first not.",
        show_default=False,
    ),
]
Attributed = Annotated[
    bool | None,
    typer.Option(
        "--attributed/--stated-only",
        help="Let paths take what somebody named is reported to have said; questions then say who. Default: "
        "as before, at first not.",
        show_default=False,
    ),
]
PerDepth = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST,
        help="Paths to draw for each depth, 2 to 5 hops. Default: as before, at first 400.",
        show_default=False,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=MAX_SEED,
        help="Seed of every draw. Default: as before, at first 0.",
        show_default=False,
    ),
]
Retrieved = Annotated[int, typer.Option("--top", min=1, max=100, help="Chunks retrieved for a question.")]
Provider = Annotated[
    str | None,
    typer.Option(
        help=f"Who runs the model: {', '.join(PROVIDERS)}, or the address of an OpenAI-compatible endpoint. "
        "Default: OPENAI_BASE_URL.",
        show_default=False,
    ),
]
AnswerGenerator = Annotated[
    str | None,
    typer.Option(
        "--generator",
        help="Who answers: rules, or model (HOPGRADE_ANSWER_MODEL). Default: rules, model with --model.",
        show_default=False,
    ),
]
AnswerModel = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="Name of the model that answers, in place of HOPGRADE_ANSWER_MODEL; rules do without a model or "
        "a provider.",
        show_default=False,
    ),
]
ModelConcurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        min=1,
        max=256,
        help="Requests to the model at once. Default: HOPGRADE_MODEL_CONCURRENCY.",
        show_default=False,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Say how many calls, tokens and money models would take, about; send nothing."
    ),
]
NoPreflight = Annotated[
    bool,
    typer.Option(
        "--no-preflight",
        help="Don't try the prompts on gold items before the model is asked for the first time.",
    ),
]
MaxIterations = Annotated[
    int | None,
    typer.Option(
        "--max-iterations",
        min=1,
        max=100,
        help="Steps that an agent may take for a question. Default: the agent's own limit.",
        show_default=False,
    ),
]
Prefixes = Annotated[
    bool,
    typer.Option(
        "--prefixes",
        help="Ask the prefix questions too, of the first hops of each question; apart from the others.",
    ),
]
Runs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RUN]...",
        help="Names of runs. Default: all of the corpus.",
        show_default=False,
        autocompletion=complete_runs,
    ),
]
HtmlFile = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page that needs no network.", show_default=False),
]
LatexFile = Annotated[
    Path | None,
    typer.Option(
        "--latex",
        metavar="FILE",
        help="Write the tables for a paper, with booktabs.",
        show_default=False,
    ),
]
MarkdownFile = Annotated[
    Path | None,
    typer.Option(
        "--markdown",
        metavar="FILE",
        help="Write the whole report as Markdown.",
        show_default=False,
    ),
]
QuestionId = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="Id of the question, or as much of it as no other has.",
        autocompletion=complete_questions,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Hops = Annotated[str, typer.Option(help="Depths, 2 to 5, with commas.")]


def parse_depths(text: str, choices: Sequence[int] = DEPTHS) -> list[int]:
    """Depths as the user gave them.

    Raises:
        SettingsError: they are none of the choices, 2 to 5 for paths.
    """
    try:
        depths = sorted({int(part) for part in text.split(",")})
    except ValueError:
        depths = []
    if not depths or not set(depths) <= set(choices):
        listed = ",".join(map(str, choices))
        raise SettingsError(f"{text!r} are no depths.", f"Give some of {listed}, for example --hops 2,3.")
    return depths


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
        autocompletion=complete_runs,
    ),
]
Rule = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="RULE",
        help="What decides which answers are right: match or exact. Default: match, or what the run goes by. "
        "A model judges afterwards, by kg run judge.",
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
        max=MOST,
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
        help="Where the report is written: .md as Markdown, .tex as tables in LaTeX, any other as a page. "
        "Default: reports/CORPUS/NAME.html.",
        show_default=False,
    ),
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no page.")]
FilledSheet = Annotated[
    Path | None,
    typer.Option("--labels", help="Read a sheet of kg standard label that was filled.", show_default=False),
]
SheetNumber = Annotated[
    int, typer.Option(min=2, max=100_000, help="Answers in the sheet, equally many of each system.")
]
SheetSeed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the draw of the sheet.")]
SHEET = 200
"""Answers in a sheet where nothing else is asked for."""
StatisticsSeed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the sign-flips.")]
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


Logs = Annotated[
    Path | None,
    typer.Option(
        "--logs",
        metavar="DIR",
        help="Write a new folder in DIR when the run has ended: a query_N.md for each answer, summary.md, "
        "results.json.",
        show_default=False,
    ),
]
Otel = Annotated[
    bool,
    typer.Option(
        "--otel",
        help="Send OpenTelemetry spans to OTEL_EXPORTER_OTLP_ENDPOINT, or to the collector on this machine; "
        "needs the extra tracing.",
    ),
]
OtelContents = Annotated[
    bool,
    typer.Option("--otel-contents", help="As --otel, with what was asked, found and answered in the spans."),
]


def with_spans(settings: Settings, otel: bool, contents: bool) -> Settings:
    """The settings with what the options ask for; without them, as they are."""
    if not (otel or contents):
        return settings
    endpoint = settings.otel_exporter_otlp_endpoint or LOCAL_COLLECTOR
    shown = contents or settings.otel_instrumentation_genai_capture_message_content
    return settings.model_copy(
        update={
            "otel_exporter_otlp_endpoint": endpoint,
            "otel_instrumentation_genai_capture_message_content": shown,
        }
    )
