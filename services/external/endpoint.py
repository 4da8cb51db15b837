"""A system behind an HTTP endpoint.

How questions go to an HTTP endpoint and answers come back, as a small YAML file tells.

    request:
      headers: {Authorization: "Bearer ${RAG_TOKEN}"}        # from the environment
      body: {query: "{question}", top_k: 10}
    response:                                                # JMESPath into the reply
      answer: data.answer
      retrieved: "data.sources[].{text: content, title: title, score: score}"

Without `response` the reply has the fields of `services.external.replies` themselves.
"""

import json
import os
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Literal, cast
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

import jmespath
import yaml
from httpx2 import Client, HTTPError, InvalidURL, Limits, Response
from jmespath.exceptions import JMESPathError
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from kg.endpoints import without_key
from kg.errors import ModelRefusedError, SettingsError
from kg.ids import content_hash
from kg.llm.wire import retry_after_seconds
from kg.own_system import OwnAnswer, OwnSystem
from services.external.calls import Patience, TryAgainError
from services.external.outside_system import FEWEST_TO_STOP, external_system
from services.external.replies import BadReplyError, read_reply
from services.rag.protocol import ExternalSystem

QUESTION = "{question}"

_SECRET = re.compile("auth|key|token|secret|password|cookie|signature", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_LOOK = "See docs/how-to/own-system.md for what a map holds."


class RequestMap(BaseModel):
    """What is sent: `{question}` in any text of it stands for the question, `${NAME}` for a variable of the
    environment."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: Literal["GET", "POST"] = "POST"
    headers: dict[str, str] = Field(default_factory=dict)
    params: dict[str, str] = Field(default_factory=dict)
    body: JsonValue = None


class ResponseMap(BaseModel):
    """Where the fields of an answer are in a reply, or in a row of a file of answers, as JMESPath.

    `id` and `question` tell which question a row answers; a reply answers the one that was sent.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str | None = None
    question: str | None = None
    answer: str
    retrieved: str | None = None
    steps: str | None = None
    input_tokens: str | None = None
    output_tokens: str | None = None
    cost: str | None = None
    seconds: str | None = None
    error: str | None = None


class EndpointMap(BaseModel):
    """A whole map; without anything it posts {"question": ...} and reads the reply's own fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    request: RequestMap = RequestMap()
    response: ResponseMap | None = None


def read_map(path: Path) -> EndpointMap:
    """The map in a YAML file.

    Raises:
        SettingsError: it can't be read, or says something that can't be done.
    """
    try:
        value: object = yaml.safe_load(path.read_text(encoding="utf-8"))
        found = EndpointMap.model_validate({} if value is None else value)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}.", "Give the map as --map FILE.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not YAML: {' '.join(str(error).split())}.", _LOOK) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the map"
        raise SettingsError(f"{path}: {where}: {first['msg'].lower()}.", _LOOK) from error
    for name, expression in _expressions(found):
        try:
            jmespath.compile(expression)
        except JMESPathError as error:
            reason = str(error).partition("\n")[0]
            raise SettingsError(
                f"{path}: response.{name} is not JMESPath: {reason}.", "See https://jmespath.org."
            ) from error
    return found


def fill_question(value: JsonValue, question: str) -> JsonValue:
    """A value with the question in its place in every text."""
    match value:
        case str():
            return value.replace(QUESTION, question)
        case list():
            return [fill_question(item, question) for item in value]
        case dict():
            return {key: fill_question(item, question) for key, item in value.items()}
        case _:
            return value


def with_environment(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with the variables of the environment in their places.

    Raises:
        SettingsError: one is not set, or its value can't be sent.
    """
    return {name: _VARIABLE.sub(_variable, value) for name, value in headers.items()}


def secrets_in(url: str, headers: Mapping[str, str]) -> tuple[str, ...]:
    """What must not be shown where an endpoint repeats what it was sent, the longest first.

    That is every variable of the environment in the headers, what stands in a header whose name speaks of a
    secret, and of the address the password and the values of such parameters.
    """
    found = {os.environ.get(name, "") for value in headers.values() for name in _VARIABLE.findall(value)}
    found |= {value.rpartition(" ")[2] for name, value in headers.items() if _SECRET.search(name)}
    parts = urlsplit(url)
    if parts.password:
        basic = f"{unquote(parts.username or '')}:{unquote(parts.password)}"
        found |= {parts.password, unquote(parts.password), b64encode(basic.encode()).decode()}
    found |= {value for name, value in parse_qsl(parts.query) if _SECRET.search(name)}
    return tuple(sorted(found - {""}, key=len, reverse=True))


def mapped_fields(response: ResponseMap, body: object) -> dict[str, object]:
    """What is at each place of the map, by the field that it is for; None where nothing is.

    Raises:
        BadReplyError: a place can't be looked for in it.
    """
    found: dict[str, object] = {}
    for name, expression in _expressions(EndpointMap(response=response)):
        try:
            found[name] = jmespath.search(expression, body)
        except JMESPathError as error:
            raise BadReplyError(f"response.{name} fails on it: {str(error).partition(chr(10))[0]}") from error
    return found


def map_response(response: ResponseMap | None, body: object) -> OwnAnswer:
    """The answer in a reply's body.

    Raises:
        BadReplyError: it isn't there, or is no answer.
    """
    return read_reply(body) if response is None else read_fields(response, mapped_fields(response, body))


def read_fields(response: ResponseMap, found: Mapping[str, object]) -> OwnAnswer:
    """The answer of the fields that are at the places of a map.

    Raises:
        BadReplyError: none is there, or it is none.
    """
    if found.get("answer") is None and not found.get("error"):
        raise BadReplyError(f"nothing is at {response.answer!r}, where the map looks for the answer")
    return read_reply(found)


def _expressions(found: EndpointMap) -> Sequence[tuple[str, str]]:
    if found.response is None:
        return ()
    return [(name, value) for name, value in found.response.model_dump().items() if isinstance(value, str)]


def _variable(match: re.Match[str]) -> str:
    value = os.environ.get(match[1])
    if value is None:
        raise SettingsError(
            f"the map names the variable {match[1]}, which is not set.", f"Set it: export {match[1]}=..."
        )
    if not value.isascii() or not value.isprintable():
        raise SettingsError(f"{match[1]} holds a character that no header takes.", "Copy it once more.")
    return value


MOST_BYTES = 16 * 2**20
"""A longer reply is no answer."""

_PASSING = {408, 425, 429}
_FOR_ALL = {401, 403, 404, 405}
"""What an endpoint says to every question alike, so that asking on would be of no use."""


_FIELDS_SHOWN = 12


class EndpointSystem:
    """Asks an endpoint; 408, 425, 429, 5xx, time-outs and lost connections may be tried again."""

    def __init__(
        self, url: str, form: EndpointMap, client: Client, fewest_to_stop: int | None = FEWEST_TO_STOP
    ) -> None:
        """Set up; nothing is sent yet. Where the first `fewest_to_stop` replies have nothing at the map's
        `retrieved`, the asking ends; never, where it is None."""
        self._url, self._form, self._client = url, form, client
        self._fewest_to_stop = fewest_to_stop
        self._silent, self._lock = 0, Lock()
        self._host = urlsplit(url).hostname
        self._secrets = secrets_in(url, form.request.headers)

    def __call__(self, question: str, /) -> OwnAnswer:
        """The endpoint's answer; what it has against one question alone is the answer's error.

        Raises:
            TryAgainError: it may answer later.
            ModelRefusedError: it refuses all questions.
            SettingsError: no reply yet has anything where the map looks for what was retrieved.
            BadReplyError: its reply can't be read.
        """
        request = self._form.request
        sent = _body(self._url, request)
        try:
            with self._client.stream(
                request.method,
                self._url.replace(QUESTION, quote(question, safe="")),
                # None, unlike an empty mapping, leaves the parameters that the address has.
                params={name: value.replace(QUESTION, question) for name, value in request.params.items()}
                or None,
                json=None if sent is None else fill_question(sent, question),
            ) as response:
                content = _content(response)
        except InvalidURL as error:
            raise SettingsError("the URL is not an address.", "Check the URL.") from error
        except HTTPError as error:
            # Without the cause, which may quote headers.
            raise TryAgainError(type(error).__name__) from None
        status = response.status_code
        if status in _PASSING or status >= 500:
            raise TryAgainError(f"HTTP {status}", retry_after_seconds(response.headers))
        if status >= 300:
            return self._refuse(
                status, without_key(self._hide_secrets(content.decode("utf-8", "replace")), "")
            )
        body = _parse(content)
        answer = map_response(self._form.response, body)
        if not answer.error:
            self._check_retrieved(answer, body)
        return replace(answer, error=self._hide_secrets(answer.error))

    def _check_retrieved(self, answer: OwnAnswer, body: object) -> None:
        """End the asking where the map's `retrieved` seems to be a slip; one reply that has it shows that it
        is none, for a system may leave the field out where it looked nothing up."""
        at = None if self._form.response is None else self._form.response.retrieved
        with self._lock:
            if at is None or self._fewest_to_stop is None:
                return
            if answer.tells_retrieved:
                self._fewest_to_stop = None
                return
            self._silent += 1
            if self._silent < self._fewest_to_stop:
                return
        raise SettingsError(
            f"nothing is at {at!r}, where the map looks for what was retrieved, in any of the first "
            f"{self._silent} replies. The last has: {', '.join(_paths(body)[:_FIELDS_SHOWN])}.",
            f'Mend the path; for a system that retrieves seldom, write "{at} || `[]`".',
        )

    def _hide_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def _refuse(self, status: int, said: str) -> OwnAnswer:
        told = f"HTTP {status}: {said}" if said else f"HTTP {status}"
        if status in _FOR_ALL or status < 400:
            raise ModelRefusedError(
                f"The endpoint at {self._host} refuses the requests ({told}).",
                "Check its address, and the method and the headers in the map.",
            )
        return OwnAnswer("", error=told)


def external_endpoint(url: str, form: EndpointMap, patience: Patience) -> ExternalSystem:
    """An endpoint as what a run takes; another address or map makes the run anew.

    Raises:
        SettingsError: this is no address, or the map sends no question or names a variable that isn't set.
    """
    shown = _address(url)
    with_environment(form.request.headers)
    sent = (url, *form.request.params.values(), json.dumps(_body(url, form.request)))
    if not any(QUESTION in text for text in sent):
        raise SettingsError(
            "the map sends no question.", f'Put "{QUESTION}" where it belongs in its body or params.'
        )
    response = form.response
    return external_system(
        name=urlsplit(url).hostname or "endpoint",
        system=f"endpoint {shown}",
        source=content_hash((url, form.model_dump_json())),
        own=partial(_open, url, form, patience),
        patience=patience,
        retrieval_reported=response is not None and response.retrieved is not None,
    )


@contextmanager
def _open(url: str, form: EndpointMap, patience: Patience) -> Iterator[OwnSystem]:
    limits = Limits(max_connections=patience.concurrency)
    headers = with_environment(form.request.headers)
    with Client(timeout=patience.timeout_seconds, headers=headers, limits=limits) as client:
        yield EndpointSystem(url, form, client, FEWEST_TO_STOP if patience.stops else None)


def _body(url: str, request: RequestMap) -> JsonValue:
    """What is sent as JSON: the map's body, and without one the question, unless it goes another way."""
    goes_elsewhere = request.method == "GET" or any(
        QUESTION in text for text in (url, *request.params.values())
    )
    return request.body if request.body is not None or goes_elsewhere else {"question": QUESTION}


def _address(url: str) -> str:
    """An address without what may be secret in it.

    Raises:
        SettingsError: it is none.
    """
    try:
        parts = urlsplit(url)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise SettingsError(
            "the URL is not the address of an endpoint.", "Give one that begins with http:// or https://."
        )
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _content(response: Response) -> bytes:
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes():
        size += len(part)
        if size > MOST_BYTES:
            raise BadReplyError(f"it is longer than {MOST_BYTES // 2**20} MiB")
        parts.append(part)
    return b"".join(parts)


def _paths(body: object) -> list[str]:
    """The fields of a reply, one within another as JMESPath names them."""
    if not isinstance(body, Mapping):
        return []
    return [
        f"{name}.{inner}" if inner else f"{name}"
        for name, value in body.items()
        for inner in _paths(value) or [""]
    ]


def _parse(content: bytes) -> object:
    try:
        return cast(object, json.loads(content))
    except (ValueError, RecursionError) as error:
        raise BadReplyError("it is not JSON") from error
