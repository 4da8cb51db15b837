"""A system behind an HTTP endpoint."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import cast
from urllib.parse import quote, urlsplit, urlunsplit

from httpx2 import Client, HTTPError, InvalidURL, Limits, Response
from pydantic import JsonValue

from kg.endpoint_errors import without_key
from kg.errors import ModelRefusedError, SettingsError
from kg.ids import content_hash
from kg.llm.retry_after import retry_after_seconds
from kg.own_system import OwnAnswer, OwnSystem
from services.rag.outside import Outside
from services.systems.calls import Patience, TryAgainError
from services.systems.endpoint_map import (
    QUESTION,
    EndpointMap,
    RequestMap,
    filled,
    mapped,
    secrets_in,
    with_environment,
)
from services.systems.outside_system import own_outside
from services.systems.replies import BadReplyError

MOST_BYTES = 16 * 2**20
"""A longer reply is no answer."""

_PASSING = {408, 425, 429}
_FOR_ALL = {401, 403, 404, 405}
"""What an endpoint says to every question alike, so that asking on would be of no use."""


class EndpointSystem:
    """Asks an endpoint; 408, 425, 429, 5xx, time-outs and lost connections may be tried again."""

    def __init__(self, url: str, form: EndpointMap, client: Client) -> None:
        """Set up; nothing is sent yet."""
        self._url, self._form, self._client = url, form, client
        self._host = urlsplit(url).hostname
        self._secrets = secrets_in(url, form.request.headers)

    def __call__(self, question: str, /) -> OwnAnswer:
        """The endpoint's answer; what it has against one question alone is the answer's error.

        Raises:
            TryAgainError: it may answer later.
            ModelRefusedError: it refuses all questions.
            BadReplyError: its reply can't be read.
        """
        request = self._form.request
        body = _body(self._url, request)
        try:
            with self._client.stream(
                request.method,
                self._url.replace(QUESTION, quote(question, safe="")),
                # None, unlike an empty mapping, leaves the parameters that the address has.
                params={name: value.replace(QUESTION, question) for name, value in request.params.items()}
                or None,
                json=None if body is None else filled(body, question),
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
            return self._refused(status, without_key(self._blotted(content.decode("utf-8", "replace")), ""))
        answer = mapped(self._form.response, _parsed(content))
        return replace(answer, error=self._blotted(answer.error))

    def _blotted(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def _refused(self, status: int, said: str) -> OwnAnswer:
        told = f"HTTP {status}: {said}" if said else f"HTTP {status}"
        if status in _FOR_ALL or status < 400:
            raise ModelRefusedError(
                f"The endpoint at {self._host} refuses the requests ({told}).",
                "Check its address, and the method and the headers in the map.",
            )
        return OwnAnswer("", error=told)


def endpoint_outside(url: str, form: EndpointMap, patience: Patience) -> Outside:
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
    return own_outside(
        name=urlsplit(url).hostname or "endpoint",
        system=f"endpoint {shown}",
        source=content_hash((url, form.model_dump_json())),
        own=partial(_opened, url, form, patience),
        patience=patience,
        tells_retrieval=response is not None and response.retrieved is not None,
    )


@contextmanager
def _opened(url: str, form: EndpointMap, patience: Patience) -> Iterator[OwnSystem]:
    limits = Limits(max_connections=patience.concurrency)
    headers = with_environment(form.request.headers)
    with Client(timeout=patience.timeout_seconds, headers=headers, limits=limits) as client:
        yield EndpointSystem(url, form, client)


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


def _parsed(content: bytes) -> object:
    try:
        return cast(object, json.loads(content))
    except (ValueError, RecursionError) as error:
        raise BadReplyError("it is not JSON") from error
