"""Examples for the OpenAPI document, by operation: what is sent, and what comes back, cut short."""

import json
from collections.abc import Mapping
from pathlib import Path

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]

_KEPT: Mapping[str, Mapping[str, Json]] = json.loads(
    (Path(__file__).parent / "examples.json").read_text(encoding="utf-8")
)

REQUESTS: Mapping[str, Json] = _KEPT["requests"]
"""Bodies, by operation."""
ANSWERS: Mapping[str, Json] = _KEPT["answers"]
"""Answers, by operation; made from the bundled corpus."""
