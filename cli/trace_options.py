"""Options of commands that leave traces outside the graph: log files, and OpenTelemetry spans."""

from pathlib import Path
from typing import Annotated

import typer

from kg.settings import Settings
from services.rag.telemetry import LOCAL_COLLECTOR

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
        "needs hopgrade[tracing].",
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
