"""One call of a chat endpoint: within limits and budget, and tried again where that can help."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from httpx2 import HTTPError
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    sleep_using_event,
    stop_after_attempt,
    stop_when_event_set,
    wait_random_exponential,
)

from kg.errors import ModelUnavailableError
from kg.llm.budget import Budget, Price, RateLimits, estimate_tokens
from kg.llm.failed_tries import PassingError, RejectedError, late, refused, sorted_failure
from kg.llm.protocol import Failure, JsonValue, Message, Usage
from kg.llm.roles import RoleEndpoint
from kg.llm.wire import Answer, read_answer, written

if TYPE_CHECKING:
    from openai import OpenAI

FAILURES_ON_END = 5
"""After so many requests that failed on end, the endpoint counts as out of reach."""

_NO_KEY = "none"
_CONNECT_SECONDS = 10.0
_BACK_OFF = wait_random_exponential(multiplier=1.0, max=60.0)


class ChatCalls:
    """Calls of one model at one endpoint.

    Statuses 408, 409, 429 and 5xx, time-outs, lost connections and answers that break off are tried again
    after a growing random pause, or after the one that Retry-After names.
    """

    def __init__(
        self,
        endpoint: RoleEndpoint,
        limits: RateLimits,
        budget: Budget,
        timeout_seconds: float,
        retries: int,
        sleep: Callable[[float], None] | None = None,
        price: Price | None = None,
    ) -> None:
        """Set up; nothing is sent yet. By default a pause ends early when the asking is stopped."""
        self._endpoint = endpoint
        self._limits = limits
        self._budget = budget
        self._price = price
        self._timeout_seconds = timeout_seconds
        self._retries = retries
        self._sleep = sleep
        self._counting = threading.Lock()
        self._failed_on_end = 0
        self._client = open_client(endpoint, timeout_seconds)
        self.url = str(self._client.base_url)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def call(
        self,
        messages: Sequence[Message],
        parameters: Mapping[str, JsonValue],
        at_most: Usage,
        stopping: threading.Event,
    ) -> Answer | Failure:
        """The answer to `messages`, or why there is none after all retries.

        `at_most` is what the limits and the budget must have room for; no retry follows once `stopping` is
        set.

        Raises:
            RejectedError: the endpoint refused this request: 400, 404, 413, 422.
            ModelRefusedError: it refused for good: the key, the model's name, no credit.
            ModelUnavailableError: this and the requests that ended before it failed after all retries.
            BudgetReachedError: the budget has no room for this call.
        """
        retrying = Retrying(
            stop=stop_after_attempt(self._retries + 1) | stop_when_event_set(stopping),
            wait=_pause,
            retry=retry_if_exception(lambda error: isinstance(error, PassingError) and error.soon),
            sleep=self._sleep or sleep_using_event(stopping),
            reraise=True,
        )
        try:
            answer = retrying(self._try, messages, parameters, at_most)
        except PassingError as error:
            if not stopping.is_set():
                self._count_failure(error)
            return Failure(error.kind, error.detail)
        except RejectedError:
            self._count_answer()
            raise
        self._count_answer()
        return answer

    def _try(
        self, messages: Sequence[Message], parameters: Mapping[str, JsonValue], at_most: Usage
    ) -> Answer:
        """One request. An answer that was lost on its way is charged to the budget at its most."""
        passage = self._limits.wait(at_most.tokens)
        reservation = self._budget.reserve(at_most, self._price, wait=True)
        spent = Usage()
        try:
            answer = self._send(messages, parameters)
            spent = answer.usage
            if spent == Usage():
                # Some servers count nothing.
                made = answer.text + "".join(call.name + call.arguments for call in answer.calls)
                spent = Usage(at_most.input_tokens, estimate_tokens(made))
        except PassingError as error:
            if error.charged:
                spent = at_most
            if error.pause is not None:
                self._limits.pause(error.pause)
            raise
        finally:
            self._budget.settle(reservation, spent)
        self._limits.settle(passage, spent.tokens)
        return answer

    def _send(self, messages: Sequence[Message], parameters: Mapping[str, JsonValue]) -> Answer:
        from openai import OpenAIError  # noqa: PLC0415 - heavy

        deadline = time.monotonic() + self._timeout_seconds
        body = bytearray()
        fields = {**parameters, **self._endpoint.extra_body}
        sent = {name: value for name, value in fields.items() if value is not None}
        try:
            with self._client.chat.completions.with_streaming_response.create(
                model=self._endpoint.model, messages=written(messages), extra_body=sent
            ) as response:
                if response.headers.get("content-type", "").startswith("text/html"):
                    remedy = f"Check {self._endpoint.url_setting}; it often ends in /v1."
                    raise refused(self._endpoint, "answered with a web page", remedy)
                for piece in response.iter_bytes():
                    body += piece
                    # Some servers send blanks to keep the connection; that could go on for ever.
                    if time.monotonic() > deadline:
                        raise late(self._timeout_seconds)
        except (OpenAIError, HTTPError) as error:
            # Without the cause: what the server sent back may quote the key.
            raise sorted_failure(error, self._endpoint, self._timeout_seconds) from None
        return read_answer(bytes(body), self._endpoint.key.get_secret_value())

    def _count_answer(self) -> None:
        with self._counting:
            self._failed_on_end = 0

    def _count_failure(self, error: PassingError) -> None:
        with self._counting:
            self._failed_on_end += 1
            failed = self._failed_on_end
        if failed >= FAILURES_ON_END:
            raise ModelUnavailableError(
                f"{self._endpoint.described} failed {failed} requests on end ({error.detail}).",
                f"What was answered is kept. Check {self._endpoint.url_setting} and the endpoint, then run "
                "the same command again.",
            )


def open_client(endpoint: RoleEndpoint, timeout_seconds: float) -> "OpenAI":
    """OpenAI's client, without retries of its own; a query of the address goes with each request."""
    from openai import OpenAI, Timeout  # noqa: PLC0415 - heavy

    key = endpoint.key.get_secret_value() or _NO_KEY
    address, query = _address(endpoint.base_url)
    return OpenAI(
        api_key=key,
        base_url=address,
        default_query=query,
        # Azure's deployments, whose address names a version, want the key in a header of their own.
        default_headers={"api-key": key} if "api-version" in query else None,
        timeout=Timeout(timeout_seconds, connect=min(timeout_seconds, _CONNECT_SECONDS)),
        max_retries=0,
    )


def _address(base_url: str | None) -> tuple[str | None, dict[str, object]]:
    """An address without its query, and the query, which belongs behind the path of each request."""
    if base_url is None:
        return None, {}
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(query="")), dict(parse_qsl(parts.query))


def _pause(state: RetryCallState) -> float:
    """A random pause that grows, on top of what the endpoint asks for, so that not all come back at once."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.pause if isinstance(error, PassingError) else None
    back_off = _BACK_OFF(state)
    return back_off if asked is None else asked + min(back_off, 1.0)
