"""OpenTelemetry spans of what a system did, by the GenAI conventions, so that trace viewers show it.

Nothing has to be called on the way: `observe_system` wraps any system, and each answer with its steps becomes
spans when it is there. `invoke_agent SYSTEM` stands for the answer; under it `chat MODEL` for each step in
which a model was asked, and `execute_tool ACTION` for each step that did something else. Many questions go
side by side, so a step has no time of its own on the clock: steps follow each other from the beginning of the
batch, each as long as it took by itself. What was asked, found and answered stays out unless `contents` lets
it in.

Names of attributes: OpenTelemetry semantic conventions for generative AI, "GenAI agent and framework spans".
"""

import json
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from time import time_ns
from typing import TYPE_CHECKING, TypeAlias, get_args

from kg.errors import SettingsError, installation
from kg.llm.protocol import FailureKind
from kg.settings import Settings
from services.rag.protocol import RagAnswer, RagQuestion, RagSystem, Step, stream_answers

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, SpanKind, Tracer

LOCAL_COLLECTOR = "http://localhost:4318"
"""Where a collector listens by default, by OpenTelemetry's own rules."""

SCOPE = "hopgrade"

FLUSH_SECONDS = 5.0
"""So long a collector that does not answer can hold up the end of a command."""

MODEL_ACTIONS = frozenset({"plan", "answer", "decompose"})
"""Steps in which a model is asked, where one answers at all; in other steps only where tokens were taken."""

_Values: TypeAlias = Mapping[str, str | int | float | None]
_PATH = "/v1/traces"
_ADDRESS = "OTEL_EXPORTER_OTLP_ENDPOINT"
_HEADERS = re.compile(r"OTEL_EXPORTER_OTLP_(TRACES_)?HEADERS")
_CREDENTIALS = re.compile(r"OTEL_PYTHON_EXPORTER_OTLP_.*CREDENTIAL_PROVIDER")
_HIDING = Lock()
_OTHER = "_OTHER"
_NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SpanWriter:
    """Writes answers as spans to a tracer; `model` is empty where rules answer.

    `contents` lets queries, thoughts, observations and answers in.
    """

    tracer: "Tracer"
    corpus: str
    model: str
    contents: bool = False

    def write(self, system: str, question: RagQuestion, answered: RagAnswer, began: int) -> None:
        """One answer with its steps; `began` is in nanoseconds since 1970."""
        from opentelemetry.trace import SpanKind, set_span_in_context  # noqa: PLC0415

        tokens = _tokens(answered.usage.input_tokens, answered.usage.output_tokens)
        values: _Values = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": system,
            "gen_ai.provider.name": "openai" if self.model else SCOPE,
            "gen_ai.request.model": self.model or None,
            "gen_ai.data_source.id": self.corpus,
            **tokens,
            "hopgrade.question.id": question.id,
            "hopgrade.steps": len(answered.steps),
            "hopgrade.chunks": len(answered.retrieved),
            **self._messages(question.text, answered.text),
        }
        span = self._begin_span(f"invoke_agent {system}", SpanKind.INTERNAL, values, began, None)
        at, inside = began, set_span_in_context(span)
        for step in answered.steps:
            ended = at + round((step.seconds or 0.0) * _NANOSECONDS)
            self._write_step(step, inside, at, ended)
            at = ended
        if answered.error:
            self._record_failure(span, _error_type(answered.error), answered.error)
        span.end(max(at, began + round(answered.seconds * _NANOSECONDS)))

    def _write_step(self, step: Step, inside: "Context", began: int, ended: int) -> None:
        """A tool that a model chose is two spans; both have the time of the step."""
        from opentelemetry.trace import SpanKind  # noqa: PLC0415

        thinks = bool(self.model) and step.action in MODEL_ACTIONS
        if thinks or step.usage.input_tokens or step.usage.output_tokens:
            values: _Values = {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": self.model or None,
                **_tokens(step.usage.input_tokens, step.usage.output_tokens),
                "hopgrade.step.index": step.index,
                "hopgrade.step.action": step.action,
                **(self._messages(step.query, step.observation if thinks else step.thought)),
            }
            span = self._begin_span(f"chat {self.model}".strip(), SpanKind.CLIENT, values, began, inside)
            if thinks and step.fault:
                self._record_failure(span, step.fault, step.observation)
            span.end(ended)
        if not thinks:
            values = {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": step.action,
                "gen_ai.tool.type": "datastore" if step.retrieves else "function",
                "hopgrade.step.index": step.index,
                "hopgrade.top_k": step.top_k,
                "hopgrade.chunks": len(step.hits) if step.retrieves else None,
                "gen_ai.tool.call.arguments": self._content(
                    step.arguments or json.dumps({"query": step.query}, ensure_ascii=False)
                ),
                "gen_ai.tool.call.result": self._content(step.observation),
            }
            span = self._begin_span(f"execute_tool {step.action}", SpanKind.INTERNAL, values, began, inside)
            if step.fault:
                self._record_failure(span, step.fault, step.observation)
            span.end(ended)

    def _begin_span(
        self, name: str, kind: "SpanKind", values: _Values, began: int, inside: "Context | None"
    ) -> "Span":
        told = {key: value for key, value in values.items() if value is not None}
        return self.tracer.start_span(name, inside, kind, told, start_time=began)

    def _record_failure(self, span: "Span", kind: str, told: str) -> None:
        from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415

        span.set_attribute("error.type", kind)
        span.set_status(Status(StatusCode.ERROR, self._content(told)))

    def _messages(self, question: str, said: str) -> _Values:
        return {
            "gen_ai.input.messages": self._content(_message("user", question)),
            "gen_ai.output.messages": self._content(_message("assistant", said)),
        }

    def _content(self, text: str) -> str | None:
        return text if self.contents else None


@dataclass(frozen=True, slots=True)
class ObservedSystem:
    """A system that answers as the one inside does, and hands each answer on to be written as spans."""

    system: RagSystem
    writer: SpanWriter
    now: Callable[[], int] = time_ns

    @property
    def name(self) -> str:
        """The name of the system inside."""
        return self.system.name

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        began = self.now()
        answers = self.system.answer(questions)
        for question, answered in zip(questions, answers, strict=True):
            self.writer.write(self.name, question, answered, began)
        return answers

    def stream(self, questions: Sequence[RagQuestion], take: Callable[[Sequence[RagAnswer]], None]) -> None:
        """The answers as the system inside tells them; see `services.rag.protocol.StreamingSystem`."""
        began, asked = self.now(), {question.id: question for question in questions}

        def observe(answers: Sequence[RagAnswer]) -> None:
            take(answers)
            for answered in answers:
                self.writer.write(self.name, asked[answered.question], answered, began)

        stream_answers(self.system, questions, observe)


@contextmanager
def observe_system(
    system: RagSystem, settings: Settings, corpus: str, model: str = ""
) -> Iterator[RagSystem]:
    """The system itself where OTEL_EXPORTER_OTLP_ENDPOINT is not set, else one whose answers become spans.

    Spans go out in the background, the last ones when the context ends; a collector that can't be reached
    costs `FLUSH_SECONDS` at most and changes no answer.

    Raises:
        SettingsError: there is an endpoint, but OpenTelemetry is not installed.
    """
    if settings.otel_exporter_otlp_endpoint is None:
        yield system
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        from opentelemetry.util.re import parse_env_headers  # noqa: PLC0415
    except ImportError as error:
        raise SettingsError(
            "OTEL_EXPORTER_OTLP_ENDPOINT or --otel asks for spans, but OpenTelemetry is not installed.",
            f"Install it: {installation('tracing')}; or leave the setting out.",
        ) from error
    # One of our own, and not the process's: whoever has set up OpenTelemetry for themselves keeps theirs.
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: SCOPE}), shutdown_on_exit=False)
    given = settings.otel_exporter_otlp_traces_headers or settings.otel_exporter_otlp_headers
    with _HIDING, _without_variables():
        exporter = OTLPSpanExporter(
            endpoint=traces_address(settings.otel_exporter_otlp_endpoint),
            headers=parse_env_headers(given.get_secret_value() if given else "", liberal=True),
            timeout=FLUSH_SECONDS,
        )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    contents = settings.otel_instrumentation_genai_capture_message_content
    with _silence_retries():
        try:
            yield ObservedSystem(system, SpanWriter(provider.get_tracer(SCOPE), corpus, model, contents))
        finally:
            provider.shutdown()


@contextmanager
def _without_variables() -> Iterator[None]:
    """Hide from OpenTelemetry what it would send from the environment by itself.

    The settings have the headers, without those that are not for an address from a file `.env`; a provider
    of credentials belongs to the address that stands beside it in the environment.
    """
    hidden = {
        name
        for name in os.environ
        if _HEADERS.fullmatch(name) or (_CREDENTIALS.fullmatch(name) and _ADDRESS not in os.environ)
    }
    before = {name: os.environ.pop(name) for name in hidden}
    try:
        yield
    finally:
        os.environ.update(before)


@contextmanager
def _silence_retries() -> Iterator[None]:
    """The exporter warns of each try that failed; that all of them failed is enough to know."""
    logger = logging.getLogger("opentelemetry.exporter")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def traces_address(endpoint: str) -> str:
    """Where spans are sent: OpenTelemetry takes the base address of a collector and adds the path."""
    base = endpoint.rstrip("/")
    return base if base.endswith(_PATH) else base + _PATH


def _tokens(given: int, made: int) -> dict[str, int | None]:
    """Tokens of a call; none are told where none were taken, as by rules or from the cache."""
    took = given or made
    return {
        "gen_ai.usage.input_tokens": given if took else None,
        "gen_ai.usage.output_tokens": made if took else None,
    }


def _message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}], ensure_ascii=False)


def _error_type(error: str) -> str:
    """The kind of a model's failure ("time-out: no answer"), which is one of few words."""
    kind = error.split(":", 1)[0]
    return kind if kind in get_args(FailureKind) else _OTHER
