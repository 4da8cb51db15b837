"""The model without its guards gives what the whole one gives, bit for bit, in fewer steps."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from kg.embed.local import _verified_model
from kg.embed.model_file import without_guards

IDS = np.array([[101, 1996, 2473, 4844, 102], [101, 5166, 102, 0, 0]], np.int64)
INPUTS = {
    "input_ids": IDS,
    "attention_mask": (IDS > 0).astype(np.int64),
    "token_type_ids": np.zeros_like(IDS),
}


def steps_and_states(model: bytes, folder: Path) -> tuple[Counter[str], np.ndarray]:
    """How often a model takes each kind of step for two texts, and what it makes of them."""
    options = onnxruntime.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(folder / "steps")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    states = session.run(["last_hidden_state"], INPUTS)[0]
    events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
    return Counter(one["args"]["op_name"] for one in events if one["cat"] == "Node"), states


def test_without_its_guards_the_model_takes_fewer_steps_and_changes_no_bit(tmp_path: Path) -> None:
    model = _verified_model()
    steps, states = steps_and_states(model, tmp_path)
    fewer, same = steps_and_states(without_guards(model), tmp_path)
    assert (states == same).all()
    assert steps - fewer == Counter(IsNaN=6, Where=6)
    assert not fewer - steps


def test_a_field_of_another_type_is_refused() -> None:
    with pytest.raises(ValueError, match="a field of type 5"):
        without_guards(bytes([1 << 3 | 5, 0, 0, 0, 0]))
