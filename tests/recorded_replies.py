"""What real models answered, recorded once and replayed by a scripted endpoint, so that tests need no model.

    python -m tests.recorded_replies record --upstream http://127.0.0.1:8000/v1 --out replies.jsonl.gz
    python -m tests.recorded_replies check [FILE...]

`record` stands between `kg` and a real endpoint, and adds a line for each answer to a file; what the file
holds already is not asked for again, so that a change costs what it changed. A recorded answer
is found again by what it was asked about: every message behind the system's, the name of the schema and those
of the tools. So a prompt whose system part was reworded still finds its answers, and `check` tells which of
them, of the files given or of all that the tests have, were given to an older text; a request that was never
recorded is refused by the endpoint.
"""

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from kg.llm.budget import likely_tokens
from kg.llm.prompts import Prompt, all_prompts
from tests.scripted_bodies import Said
from tests.scripted_endpoint import Asked, Endpoint, scripted_endpoint

UNKNOWN = "unknown"
FOLDER = Path(__file__).parent / "data" / "model_replies"
_PLACEHOLDER = re.compile(r"\\\{\\\{[a-z0-9_]+\\\}\\\}")


@dataclass(frozen=True, slots=True)
class Recording:
    """An answer: `key` is what it was asked about, `system` the SHA-256 of the system message then sent,
    `prompt` the id of the prompt whose text that was, `calls` the tools called as (name, arguments).

    Of the `words` of the request, `repeated_words` stood in lines that the recorder had handed on before,
    those of the system message among them.
    """

    key: str
    prompt: str
    system: str
    content: str | None
    calls: tuple[tuple[str, str], ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    words: int = 0
    repeated_words: int = 0

    @property
    def place(self) -> str:
        """By what it is found: the prompt's name, whatever its version, and the key."""
        return f"{self.prompt.partition('@')[0]} {self.key}"

    @property
    def likely_output(self) -> int:
        """The tokens of the answer as dry runs count; what the endpoint counted may be its words."""
        calls = "".join(name + arguments for name, arguments in self.calls)
        return likely_tokens((self.content or "") + calls)


class Replies:
    """Recorded answers by their places; the same question asked anew has its last answer.

    `beside` are the tokens of schema and tools that a request carried beside its messages, by place, as dry
    runs count: the endpoint of a recording may have counted messages only.
    """

    def __init__(self, recordings: Iterable[Recording]) -> None:
        self.by_place = {one.place: one for one in recordings}
        self.missing: list[str] = []
        self.used: set[str] = set()
        self.beside: dict[str, int] = {}

    def answer(self, request: Asked) -> Said:
        """The recorded answer; a request without one is declined, and listed in `missing`."""
        found = recorded_answer(self.by_place, request.body)
        if found is None:
            self.missing.append(f"{prompt_id(request.body)}: {request.text[:200]}")
            return Said(None, refusal="No answer was recorded for this request.")
        self.used.add(found.place)
        self.beside[found.place] = _tokens_beside(request.body)
        usage = {"prompt_tokens": found.input_tokens, "completion_tokens": found.likely_output}
        return Said(found.content, calls=found.calls, usage=usage)


def recorded_answer(by_place: Mapping[str, Recording], body: Mapping[str, Any]) -> Recording | None:
    """What was answered to a request of the same prompt, or of one that nobody knew any more."""
    names = (prompt_id(body).partition("@")[0], UNKNOWN)
    return next(filter(None, (by_place.get(f"{name} {request_key(body)}") for name in names)), None)


def request_key(body: Mapping[str, Any]) -> str:
    """The SHA-256 of what a request is about: messages but the system's, the names of schema and tools."""
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    tools = [tool["function"]["name"] for tool in body.get("tools", ())]
    messages = [_message(one) for one in body["messages"] if one["role"] != "system"]
    about = json.dumps([schema.get("name"), tools, messages], ensure_ascii=False)
    return hashlib.sha256(about.encode()).hexdigest()


def _tokens_beside(body: Mapping[str, Any]) -> int:
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    tools = (tool["function"] for tool in body.get("tools", ()))
    texts = [one["name"] + one["description"] + json.dumps(one["parameters"]) for one in tools]
    return sum(map(likely_tokens, (*texts, json.dumps(schema["schema"]) if schema else "")))


def prompt_id(body: Mapping[str, Any]) -> str:
    """The id of the prompt whose system part a request begins with, as the prompts are now."""
    system = _system(body)
    found = (one.id for one in all_prompts() if _pattern(one).match(system))
    return next(found, UNKNOWN)


def outdated(replies: Replies) -> Counter[str]:
    """How many answers were given to another text than a prompt's of today, by the prompt's id then."""
    known = {one.id for one in all_prompts()}
    return Counter(one.prompt for one in replies.by_place.values() if one.prompt not in known)


def read_replies(*paths: Path) -> Replies:
    """The answers of some files, to be found by their keys."""
    return Replies(read_recordings(*paths))


def read_recordings(*paths: Path) -> Iterator[Recording]:
    """The recordings of some files, one JSON object a line, compressed where the name ends in .gz."""
    return (one for path in paths for one in _read(path))


@contextmanager
def replaying_endpoint(replies: Replies) -> Iterator[Endpoint]:
    """An endpoint that answers what was recorded; ask `replies.missing` what was not."""
    with scripted_endpoint(replies.answer) as endpoint:
        yield endpoint


def recording(body: Mapping[str, Any], answer: Mapping[str, Any], sent: set[str]) -> Recording:
    """The recording of a request and the chat completion that answered it; its lines are added to `sent`."""
    lines = [line for one in body["messages"] for line in (one.get("content") or "").splitlines()]
    repeated = sum(len(line.split()) for line in lines if line in sent)
    sent.update(lines)
    message, usage = answer["choices"][0]["message"], answer.get("usage") or {}
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return Recording(
        key=request_key(body),
        prompt=prompt_id(body),
        system=hashlib.sha256(_system(body).encode()).hexdigest(),
        content=message.get("content"),
        calls=tuple((call["name"], call["arguments"]) for call in calls),
        input_tokens=int(usage.get("prompt_tokens") or 0),
        output_tokens=int(usage.get("completion_tokens") or 0),
        words=sum(len(line.split()) for line in lines),
        repeated_words=repeated,
    )


def recorder(upstream: str, out: Path, *others: Path) -> FastAPI:
    """An application that hands requests on to `upstream`, a base URL, and writes down what it answers.

    What `out` or another recording holds already is answered from there. The last that has it wins, as in
    a replay.
    """
    app = FastAPI()
    recorded = {
        one.place: one for one in read_recordings(*(path for path in (out, *others) if path.exists()))
    }
    client = httpx.AsyncClient(timeout=None)
    sent: set[str] = set()

    @app.get("/v1/models")
    async def models(request: Request) -> Response:
        return _as_it_came(await client.get(f"{upstream}/models", headers=_headers(request)))

    @app.post("/v1/chat/completions")
    async def chat(request: Request) -> Response:
        content = await request.body()
        known = recorded_answer(recorded, json.loads(content))
        if known:
            return JSONResponse(_completion(known))
        headers = _headers(request) | {"content-type": "application/json"}
        answer = await client.post(f"{upstream}/chat/completions", content=content, headers=headers)
        if answer.status_code == 200:
            _append(out, recording(json.loads(content), answer.json(), sent))
        return _as_it_came(answer)

    return app


def _completion(one: Recording) -> dict[str, object]:
    """A recorded answer as an endpoint gives it."""
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(one.calls)
    ]
    message = {"role": "assistant", "content": one.content, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    usage = {"prompt_tokens": one.input_tokens, "completion_tokens": one.output_tokens}
    return {"id": one.key[:24], "object": "chat.completion", "created": 0, "model": "", "choices": [choice],
            "usage": usage | {"total_tokens": sum(usage.values())}}  # fmt: skip


def _headers(request: Request) -> dict[str, str]:
    key = request.headers.get("authorization")
    return {"authorization": key} if key else {}


def _as_it_came(answer: httpx.Response) -> Response:
    return Response(answer.content, answer.status_code, media_type=answer.headers.get("content-type"))


def _append(path: Path, one: Recording) -> None:
    line = json.dumps(asdict(one), ensure_ascii=False) + "\n"
    if path.suffix == ".gz":
        with gzip.open(path, "at", encoding="utf-8") as packed:
            packed.write(line)
    else:
        with path.open("a", encoding="utf-8") as plain:
            plain.write(line)


def forget_unused(replies: Replies, first: Path, *others: Path) -> int:
    """Leave out of a recording what a replay didn't ask for, or found in the others; how many that is."""
    elsewhere = {one.place for one in read_recordings(*others)}
    all_ = list(read_recordings(first))
    left = [one for one in all_ if one.place in replies.used - elsewhere]
    lines = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in left)
    first.write_bytes(gzip.compress(lines.encode(), mtime=0) if first.suffix == ".gz" else lines.encode())
    return len(all_) - len(left)


def _read(path: Path) -> Iterator[Recording]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in text.decode().splitlines():
        fields = json.loads(line)
        yield Recording(**fields | {"calls": tuple((name, given) for name, given in fields["calls"])})


def _system(body: Mapping[str, Any]) -> str:
    return "\n\n".join(one["content"] or "" for one in body["messages"] if one["role"] == "system")


def _pattern(prompt: Prompt) -> re.Pattern[str]:
    return re.compile(_PLACEHOLDER.sub(".*?", re.escape(prompt.system)) + r"(\n\n|\Z)", re.DOTALL)


def _message(message: Mapping[str, Any]) -> list[Any]:
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    return [message["role"], message.get("content"), calls]


def main() -> int:
    """Record, or check what is recorded."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_subparsers(dest="what", required=True)
    record = what.add_parser("record")
    record.add_argument("--upstream", required=True)
    record.add_argument("--out", type=Path, required=True)
    record.add_argument("--others", type=Path, nargs="*", default=[])
    record.add_argument("--port", type=int, default=11_998)
    check = what.add_parser("check")
    check.add_argument("files", type=Path, nargs="*")
    given = parser.parse_args()
    if given.what == "record":
        made = recorder(given.upstream.rstrip("/"), given.out, *given.others)
        uvicorn.run(made, host="127.0.0.1", port=given.port)
        return 0
    return check_files(given.files or shipped_recordings())


def shipped_recordings() -> list[Path]:
    """The recordings that the tests have, by name; articles lie beside them."""
    return [
        path for path in sorted(FOLDER.glob("*.jsonl.gz")) if not path.name.endswith("_articles.jsonl.gz")
    ]


def check_files(files: Iterable[Path]) -> int:
    """Print which answers of each file a change of a prompt has outdated; 1 where there is any."""
    found = 0
    for path in files:
        replies = read_replies(path)
        old = outdated(replies)
        for prompt, count in sorted(old.items()):
            sys.stdout.write(f"{path.name}, {prompt}: {count} answers to an older text; record them anew\n")
        sys.stdout.write(f"{path.name}: {len(replies.by_place)} answers, {old.total()} of them outdated\n")
        found += old.total()
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
