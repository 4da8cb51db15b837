"""The Python of docs/how-to/api.md runs as it stands, on the small world in place of the demo's corpus."""

import re
from pathlib import Path

import httpx
import pytest

from tests.services.web.api.conftest import TOKEN

GUIDE = Path(__file__).parents[4] / "docs" / "how-to" / "api.md"


def test_the_guide_runs_as_it_stands(
    served_with_token: str,
    small_corpus: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOPGRADE_API_TOKEN", TOKEN)
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    text = "\n".join(blocks)
    for written, here in (
        ("http://127.0.0.1:8700", served_with_token),
        ("ormelund", small_corpus),
        ("port averel", "halden shiping"),
        ("[3, 4]", "[2, 3, 4]"),
        ('"bins": 4', '"bins": [1, 2, 3, 4]'),
    ):
        assert written in text
        text = text.replace(written, here)
    names: dict[str, object] = {}
    exec(compile(text, str(GUIDE), "exec"), names)
    client = names["api"]
    assert isinstance(client, httpx.Client)
    client.close()
    said = capsys.readouterr().out
    assert f"{small_corpus} 8 " in said
    assert "are owned by Halden Shipping." in said or "was founded by Greta Lindqvist." in said
    assert re.search(r"^[1-9]\d* questions of 3 and 4 hops", said, re.MULTILINE)
    assert "\n304\n" in said
    assert "\ndone " in said
    assert "application/problem+json 422" in said
