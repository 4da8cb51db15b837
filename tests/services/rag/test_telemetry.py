"""Spans of answers, as an exporter gets them: their tree, names and attributes, and what they keep back."""

import builtins
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kg.errors import SettingsError
from kg.llm.protocol import Usage
from kg.settings import Settings
from services.rag.protocol import Hit, RagAnswer, RagQuestion, Step
from services.rag.telemetry import ObservedSystem, SpanWriter, observe_system, traces_address
from tests.web_system import Sent, web_system

SECRETS = ("Who owns the Rovers?", "rovers owner", "Halden Shipping", "because of the owner", "2 chunks")
BEGAN = 1_900_000_000_000_000_000
STEPS = (
    Step(1, "plan", SECRETS[0], "first the owner", usage=Usage(100, 20), seconds=1.0),
    Step(
        2, "search", SECRETS[1], SECRETS[4], (Hit("chunk-1", 0.5), Hit("chunk-2", 0.4)), True, 5,
        thought=SECRETS[3], arguments='{"query": "rovers owner"}', usage=Usage(40, 9), seconds=0.5,
    ),
    Step(3, "search", SECRETS[1], "asked before", retrieves=True, fault="repeated query", seconds=0.0),
    Step(4, "answer", SECRETS[0], SECRETS[2], usage=Usage(200, 4), seconds=0.25),
)  # fmt: skip


@dataclass(frozen=True)
class Told:
    """A system that gives the same answer to whatever is asked."""

    steps: tuple[Step, ...] = STEPS
    error: str = ""
    name: str = "react"

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        text = "" if self.error else SECRETS[2]
        usage = Usage(340, 33)
        return [
            RagAnswer(q.id, text, (), self.steps, (), usage, None, 2.0, self.error) for q in questions
        ]  # fmt: skip


def spans_of(told: Told, model: str = "some-model", contents: bool = False) -> list[ReadableSpan]:
    """The spans of one question, in the order of their ends."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    writer = SpanWriter(provider.get_tracer("test"), "news", model, contents)
    ObservedSystem(told, writer, now=lambda: BEGAN).answer(
        [RagQuestion("q-1", SECRETS[0], np.zeros(3, np.float32))]
    )
    return list(exporter.get_finished_spans())


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_an_answer_is_a_tree_of_its_steps() -> None:
    *steps, agent = spans_of(Told())
    assert [one.name for one in steps] == [
        "chat some-model", "chat some-model", "execute_tool search", "execute_tool search", "chat some-model",
    ]  # fmt: skip
    assert agent.name == "invoke_agent react"
    assert agent.parent is None
    assert {one.parent.span_id for one in steps if one.parent} == {agent.context.span_id}
    told = attributes(agent)
    assert told["gen_ai.operation.name"] == "invoke_agent"
    assert told["gen_ai.agent.name"] == "react"
    assert told["gen_ai.data_source.id"] == "news"
    assert (told["gen_ai.usage.input_tokens"], told["gen_ai.usage.output_tokens"]) == (340, 33)
    tool = attributes(steps[2])
    assert tool["gen_ai.tool.name"] == "search"
    assert (tool["hopgrade.top_k"], tool["hopgrade.chunks"]) == (5, 2)
    assert attributes(steps[1])["gen_ai.usage.input_tokens"] == 40


def test_steps_follow_each_other_for_as_long_as_they_took() -> None:
    *steps, agent = spans_of(Told())
    seconds = [((one.start_time or 0) - BEGAN, (one.end_time or 0) - BEGAN) for one in steps]
    assert [(begin / 1e9, end / 1e9) for begin, end in seconds] == [
        (0.0, 1.0), (1.0, 1.5), (1.0, 1.5), (1.5, 1.5), (1.5, 1.75),
    ]  # fmt: skip
    # The answer took longer than its steps tell of.
    assert agent.end_time == BEGAN + 2_000_000_000


def test_contents_stay_out_unless_they_are_asked_for() -> None:
    def everything(contents: bool) -> str:
        return " ".join(
            span.to_json() for span in spans_of(Told(error="time-out: Halden"), contents=contents)
        )

    assert not any(secret in everything(False) for secret in SECRETS)
    shown = everything(True)
    assert all(secret in shown for secret in (*SECRETS[:2], *SECRETS[3:]))


def test_messages_have_the_shape_of_the_conventions() -> None:
    last = attributes(spans_of(Told(), contents=True)[-2])
    (message,) = json.loads(str(last["gen_ai.output.messages"]))
    assert message == {"role": "assistant", "parts": [{"type": "text", "content": "Halden Shipping"}]}


def test_errors_and_faults_are_errors_of_few_kinds() -> None:
    *steps, agent = spans_of(Told(error="time-out: no answer within 120 s"))
    assert attributes(agent)["error.type"] == "time-out"
    assert agent.status.description is None
    assert attributes(steps[3])["error.type"] == "repeated query"
    assert "error.type" not in attributes(steps[2])
    *_, other = spans_of(Told(error="The endpoint said: no"))
    assert attributes(other)["error.type"] == "_OTHER"


def test_rules_ask_no_model() -> None:
    plan = Step(1, "answer", SECRETS[0], SECRETS[2])
    names = [span.name for span in spans_of(Told((plan,)), model="")]
    assert names == ["execute_tool answer", "invoke_agent react"]


def test_without_an_endpoint_the_system_is_as_it_was() -> None:
    system = Told()
    with observe_system(system, Settings(otel_exporter_otlp_endpoint=None), "news") as same:
        assert same is system


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name.startswith("opentelemetry"):
            raise ImportError(name)
        return load(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    settings = Settings(otel_exporter_otlp_endpoint="http://127.0.0.1:9")
    with pytest.raises(SettingsError, match=r"\.\[tracing\]"), observe_system(Told(), settings, "news"):
        pass


def test_the_path_is_added_once() -> None:
    assert traces_address("http://host:4318/") == "http://host:4318/v1/traces"
    assert traces_address("http://host:4318/v1/traces") == "http://host:4318/v1/traces"


@pytest.mark.parametrize("from_file", [True, False], ids=["address of a file", "address of the environment"])
@pytest.mark.parametrize("name", ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"])
def test_headers_of_the_environment_go_to_no_address_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, from_file: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, "x-api-key=of-the-environment")
    with web_system(lambda _: Sent({})) as web:
        address = web.url.removesuffix("/answer")
        if from_file:
            (tmp_path / ".env").write_text(f"OTEL_EXPORTER_OTLP_ENDPOINT={address}\n", encoding="utf-8")
        else:
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        with observe_system(Told((Step(1, "answer", "", ""),)), Settings(), "news") as system:
            system.answer([RagQuestion("q-1", SECRETS[0], np.zeros(3, np.float32))])
    assert [one.headers.get("x-api-key") for one in web.received] == [
        None if from_file else "of-the-environment"
    ]
    assert os.environ[name] == "x-api-key=of-the-environment"
