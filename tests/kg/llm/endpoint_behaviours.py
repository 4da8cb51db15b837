"""How endpoints and models behave that people really use, each as its documentation tells, as values.

A behaviour answers the requests of `tests.kg.llm.test_conformance`: a claim for a schema, a text, a call of a
tool, and a text that fits only twice the room that is offered first. Tokens are counted in words.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.scripted_endpoint import Answer, Asked, Said, Status

Body: TypeAlias = Mapping[str, Any]

LONG = "long"
LONG_WORDS = 2_500
"""What the answer to the question `LONG` takes: more than the room for it, less than twice as much."""

THOUGHT = "The user wants a claim, perhaps {}."
KNOWN = {
    "model", "messages", "max_tokens", "max_completion_tokens", "temperature", "seed", "response_format",
    "tools", "reasoning_effort",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What an endpoint refuses, how long its model thinks, and how it writes an answer down.

    `thinks` gives the tokens that go into thinking for a request's fields, `writes` the message of an answer
    with its thinking, and `counts` the usage of (input, thought, written) tokens. `heeds` are the types of
    response_format that the model is held to. `spared` says that thinking can be turned off.
    """

    name: str
    refuses: Callable[[Body], Status | None]
    thinks: Callable[[Body], int]
    writes: Callable[[str, int], Said]
    counts: Callable[[int, int, int], dict[str, Any]]
    heeds: Collection[str] = ("json_schema",)
    spared: bool = True
    path: str = "/v1"

    def respond(self, asked: Asked) -> "Answer | Status":
        """What the endpoint sends back."""
        refused = self.refuses(asked.body)
        if refused is not None:
            return refused
        thought = self.thinks(asked.body)
        room = asked.body.get("max_completion_tokens") or asked.body["max_tokens"]
        words = self._content(asked).split(" ")
        left = room - thought
        cut = left < len(words)
        said = self.writes(" ".join(words[: max(0, left)] if cut else words), thought)
        given = sum(len(text.split()) for _, text in asked.messages)
        return Said(
            said.content,
            finish_reason="length" if cut else "stop",
            calls=(("look_up", {"name": asked.question}),) if asked.tools else (),
            message=said.message,
            usage=self.counts(given, thought, min(len(words), max(0, left))),
        )

    def _content(self, asked: Asked) -> str:
        if asked.question == LONG:
            return " ".join(["word"] * LONG_WORDS)
        if asked.tools:
            return ""
        if asked.said_schema or asked.answer_format in self.heeds:
            return json.dumps({"claims": [asked.question]})
        if "response_format" in asked.body:
            return f"Sure! A claim would be: {asked.question}."
        return f"You said {asked.question}."


def unknown(body: Body, *also: str) -> str | None:
    """The first field that OpenAI's interface doesn't have."""
    return next((name for name in body if name not in KNOWN and name not in also), None)


def effort_refused(body: Body, *values: str) -> Status | None:
    """A refusal of an effort that is none of these, in OpenAI's words."""
    effort = body.get("reasoning_effort")
    if effort is None or effort in values:
        return None
    listed = ", ".join(f"'{value}'" for value in values)
    message = (
        f"Unsupported value: 'reasoning_effort' does not support '{effort}' with this model. "
        f"Supported values are: {listed}."
    )
    return Status(400, message, code="unsupported_value", param="reasoning_effort")


def openai_counts(given: int, thought: int, written: int) -> dict[str, Any]:
    """Thinking is part of the completion; what was in the cache of prompts is part of the input."""
    return {
        "prompt_tokens": given,
        "completion_tokens": thought + written,
        "total_tokens": given + thought + written,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }


def bare_counts(given: int, thought: int, written: int) -> dict[str, Any]:
    """Thinking counts, and isn't told apart."""
    return {"prompt_tokens": given, "completion_tokens": thought + written, "total_tokens": 0}


def hidden(content: str, thought: int) -> Said:
    """Thinking is not shown."""
    return Said(content)


def in_field(name: str) -> Callable[[str, int], Said]:
    """Thinking stands in a field of the message."""

    def writes(content: str, thought: int) -> Said:
        return Said(content, message={name: THOUGHT} if thought else {})

    return writes


def _of_openai(*efforts: str) -> Callable[[Body], Status | None]:
    def refuses(body: Body) -> Status | None:
        field = unknown(body)
        if field is not None:
            return Status(400, f"Unrecognized request argument supplied: {field}")
        if "max_tokens" in body:
            message = (
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead."
            )
            return Status(400, message, code="unsupported_parameter", param="max_tokens")
        if body.get("temperature", 1) != 1:
            message = (
                f"Unsupported value: 'temperature' does not support {body['temperature']} with this model. "
                "Only the default (1) value is supported."
            )
            return Status(400, message, code="unsupported_value", param="temperature")
        return effort_refused(body, *efforts)

    return refuses


def _by_effort(body: Body, default: int = 900) -> int:
    efforts = {"none": 0, "minimal": 0, "low": 100, "medium": 600, "high": 1_500}
    return efforts.get(str(body.get("reasoning_effort")), default)


# OpenAI, "Reasoning models" (sections "Reasoning effort", "Allocating space for reasoning") and "Structured
# model outputs": https://platform.openai.com/docs/guides/reasoning. Reasoning models take
# max_completion_tokens alone and no temperature but 1; effort "none" came with GPT-5.1.
GPT_5 = Behaviour(
    "OpenAI GPT-5",
    _of_openai("minimal", "low", "medium", "high"),
    _by_effort,
    hidden,
    openai_counts,
)
# As above; the o-series knows three efforts.
O_SERIES = Behaviour(
    "OpenAI o-series", _of_openai("low", "medium", "high"), _by_effort, hidden, openai_counts, spared=False
)


def _azure_refuses(body: Body) -> Status | None:
    if "crime" in json.dumps(body["messages"]):
        message = (
            "The response was filtered due to the prompt triggering Azure OpenAI's content management "
            "policy. Please modify your prompt and retry."
        )
        return Status(400, message, code="content_filter", param="prompt")
    field = unknown(body, "thinking") or ("reasoning_effort" if "reasoning_effort" in body else None)
    if field is not None:
        return Status(400, f"Unrecognized request argument supplied: {field}")
    return None


# Microsoft, "Azure OpenAI in Azure AI Foundry Models REST API reference" (section "Chat completions") and
# "Content filtering": https://learn.microsoft.com/azure/ai-foundry/openai/reference. The deployment stands in
# the path, the version in the query, the key in a header of its own. Here with a model that doesn't think.
AZURE = Behaviour(
    "Azure OpenAI",
    _azure_refuses,
    lambda body: 0,
    hidden,
    openai_counts,
    path="/openai/deployments/gpt?api-version=2024-10-21",
)
# Microsoft, "Azure OpenAI reasoning models" (sections "API & feature support", "Not supported"):
# https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning. They refuse what OpenAI's own refuse.
AZURE_REASONING = Behaviour(
    "a reasoning model on Azure OpenAI",
    _of_openai("minimal", "low", "medium", "high"),
    _by_effort,
    hidden,
    openai_counts,
    path="/openai/deployments/reasoning?api-version=2025-01-01-preview",
)


def _anthropic_refuses(body: Body) -> Status | None:
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled":
        if body.get("temperature", 1) != 1:
            return Status(400, "`temperature` may only be set to 1 when thinking is enabled.")
        if thinking["budget_tokens"] < 1_024:
            words = "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
            return Status(400, words)
        if thinking["budget_tokens"] >= body["max_tokens"]:
            return Status(400, "`max_tokens` must be greater than `thinking.budget_tokens`.")
    if body["max_tokens"] > 8_192:
        message = (
            f"max_tokens: {body['max_tokens']} > 8192, which is the maximum allowed number of output tokens"
        )
        return Status(400, message)
    return None


# Anthropic, "OpenAI SDK compatibility" (sections "Important OpenAI compatibility limitations", "Extended
# thinking support", "Simple fields"): https://docs.anthropic.com/en/api/openai-sdk. response_format, strict,
# seed and reasoning_effort are ignored, most other unknown fields too; details of usage are always empty.
ANTHROPIC = Behaviour(
    "Anthropic's compatible endpoint",
    _anthropic_refuses,
    lambda body: 800 if body.get("thinking", {}).get("type") == "enabled" else 0,
    hidden,
    bare_counts,
    heeds=(),
)


def _by_template(body: Body) -> int:
    return 900 if body.get("chat_template_kwargs", {}).get("enable_thinking", True) else 0


def _opened_in_the_prompt(content: str, thought: int) -> Said:
    return Said(f"{THOUGHT}\n</think>\n\n{content}" if thought else content)


# vLLM, "Reasoning Outputs" (Qwen3 series: on by default, off by chat_template_kwargs; the field is called
# `reasoning`, earlier `reasoning_content`): https://docs.vllm.ai/en/latest/features/reasoning_outputs. Fields
# that it doesn't know are passed over.
QWEN_VLLM = Behaviour("Qwen3 on vLLM", lambda body: None, _by_template, in_field("reasoning"), bare_counts)
# The same without --reasoning-parser, with a template that opens the block in the prompt (vLLM, API of
# qwen3_reasoning_parser: "only </think> appears in the generated output"). Guided decoding is off while it
# thinks, so that no schema holds it.
QWEN_VLLM_BARE = Behaviour(
    "Qwen3 on vLLM without a parser",
    lambda body: None,
    _by_template,
    _opened_in_the_prompt,
    bare_counts,
    heeds=(),
)


def _ollama_refuses(*values: str) -> Callable[[Body], Status | None]:
    def refuses(body: Body) -> Status | None:
        effort = body.get("reasoning_effort")
        if effort is None or effort in values:
            return None
        listed = ", ".join(f'"{value}"' for value in values)
        return Status(400, f"invalid reasoning value: '{effort}' (must be {listed})")

    return refuses


# Ollama, "OpenAI compatibility" (section "/v1/chat/completions", reasoning_effort high, medium, low, none):
# https://docs.ollama.com/api/openai-compatibility. `think` works on its own interface only; fields that it
# doesn't know are passed over.
QWEN_OLLAMA = Behaviour(
    "Qwen3 on Ollama",
    _ollama_refuses("high", "medium", "low", "max", "none"),
    _by_effort,
    in_field("reasoning"),
    bare_counts,
)
# Ollama, "Thinking": gpt-oss takes levels only and can't be kept from thinking:
# https://docs.ollama.com/capabilities/thinking.
GPT_OSS_OLLAMA = Behaviour(
    "gpt-oss on Ollama",
    _ollama_refuses("high", "medium", "low", "max", "none"),
    lambda body: 900 if body.get("reasoning_effort") == "none" else _by_effort(body),
    in_field("reasoning"),
    bare_counts,
    spared=False,
)


def _deepseek_refuses(body: Body) -> Status | None:
    if body.get("response_format", {}).get("type") == "json_schema":
        return Status(400, "This response_format type is unavailable now")
    return None


def _deepseek_counts(given: int, thought: int, written: int) -> dict[str, Any]:
    counts = openai_counts(given, thought, written)
    del counts["prompt_tokens_details"]
    return {**counts, "prompt_cache_hit_tokens": 2, "prompt_cache_miss_tokens": given - 2}


# DeepSeek, "Thinking Mode" (section "Thinking Mode Toggle and Effort Control"), "JSON Output" and "Context
# Caching": https://api-docs.deepseek.com/guides/thinking_mode. JSON mode only; temperature is passed over;
# thinking stands in reasoning_content; hits of the cache have names of their own.
DEEPSEEK = Behaviour(
    "DeepSeek-R1",
    _deepseek_refuses,
    lambda body: 0 if body.get("thinking", {}).get("type") == "disabled" else 900,
    in_field("reasoning_content"),
    _deepseek_counts,
    heeds=(),
)


def _vllm_literal(body: Body) -> Status | None:
    effort = body.get("reasoning_effort")
    if effort in {None, "low", "medium", "high"}:
        return None
    words = (
        "1 validation error: {'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': "
        f"\"Input should be 'low', 'medium' or 'high'\", 'input': '{effort}'}}"
    )
    return Status(400, words)


def _harmony(content: str, thought: int) -> Said:
    final = f"<|start|>assistant<|channel|>final<|message|>{content}" if content else ""
    return Said(f"<|channel|>analysis<|message|>{THOUGHT}<|end|>{final}")


# OpenAI, "OpenAI harmony response format" (section "Channels"):
# https://cookbook.openai.com/articles/openai-harmony. A server that doesn't read the format leaves its
# channels in the text (vLLM issue 22403, llama.cpp pull request 15181); efforts are those of the model.
GPT_OSS_VLLM = Behaviour(
    "gpt-oss on vLLM", _vllm_literal, _by_effort, _harmony, bare_counts, heeds=(), spared=False
)


def _of_groq(*efforts: str) -> Callable[[Body], Status | None]:
    def refuses(body: Body) -> Status | None:
        field = unknown(body, "reasoning_format", "include_reasoning")
        if field is not None:
            return Status(400, f"property '{field}' is unsupported")
        effort = body.get("reasoning_effort")
        if effort is not None and effort not in efforts:
            listed = " or ".join(f"`{one}`" for one in efforts)
            return Status(400, f"`reasoning_effort` must be one of {listed}")
        return None

    return refuses


def _groq_qwen_refuses(body: Body) -> Status | None:
    if body.get("response_format", {}).get("type") == "json_schema":
        words = "This model does not support response format `json_schema`."
        return Status(400, words, param="response_format")
    return _of_groq("none", "default")(body)


def _raw(content: str, thought: int) -> Said:
    return Said(f"<think>\n{THOUGHT}\n</think>\n\n{content}" if thought else content)


# Groq, "Reasoning" (sections "Reasoning Format", "Options for Reasoning Effort": Qwen takes none and default,
# gpt-oss low, medium and high; the format is raw by default) and "Structured Outputs":
# https://console.groq.com/docs/reasoning.
QWEN_GROQ = Behaviour("Qwen3 on Groq", _groq_qwen_refuses, _by_effort, _raw, openai_counts, heeds=())
GPT_OSS_GROQ = Behaviour(
    "gpt-oss on Groq",
    _of_groq("low", "medium", "high"),
    _by_effort,
    in_field("reasoning"),
    openai_counts,
    spared=False,
)

BEHAVIOURS = (
    GPT_5, O_SERIES, AZURE, AZURE_REASONING, ANTHROPIC, QWEN_VLLM, QWEN_VLLM_BARE, QWEN_OLLAMA,
    GPT_OSS_OLLAMA, DEEPSEEK, GPT_OSS_VLLM, QWEN_GROQ, GPT_OSS_GROQ,
)  # fmt: skip
