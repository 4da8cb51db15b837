"""One call of a chat endpoint: within limits and budget, and tried again where that can help.

Whether the endpoint of a role answers, takes the key and knows the model: asked of it, not of settings.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args
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

from kg.endpoints import without_key
from kg.errors import ModelUnavailableError
from kg.llm.budget import Budget, Price, RateLimits, estimate_tokens
from kg.llm.protocol import Failure, JsonValue, Message, Role, Usage
from kg.llm.roles import RoleEndpoint, role_endpoint
from kg.llm.wire import (
    Answer,
    PassingError,
    RejectedError,
    format_messages,
    late,
    read_answer,
    refusal_error,
    sorted_failure,
)
from kg.settings import Settings

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI
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
                model=self._endpoint.model, messages=format_messages(messages), extra_body=sent
            ) as response:
                if response.headers.get("content-type", "").startswith("text/html"):
                    remedy = f"Check {self._endpoint.url_setting}; it often ends in /v1."
                    raise refusal_error(self._endpoint, "answered with a web page", remedy)
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
                f"{self._endpoint.description} failed {failed} requests on end ({error.detail}).",
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


CONTACT_SECONDS = 15.0
_ONE_WORD = "Answer with the word OK."


@dataclass(frozen=True, slots=True)
class Contact:
    """What came of asking an endpoint; `roles` are those that go there."""

    endpoint: RoleEndpoint
    roles: tuple[Role, ...]
    state: Literal["ok", "missing"]
    detail: str
    remedy: str = ""


def contact_endpoints(settings: Settings) -> Iterator[Contact]:
    """One contact for each endpoint with its model; none where no model is set.

    Raises:
        SettingsError: a model is set for a role, and its endpoint can't be one.
    """
    by_place: dict[tuple[str | None, str, str], list[RoleEndpoint]] = {}
    for role in get_args(Role):
        if getattr(settings, f"hopgrade_{role}_model") is None and settings.hopgrade_model is None:
            continue
        endpoint = role_endpoint(role, settings)
        place = (endpoint.base_url, endpoint.model, endpoint.key.get_secret_value())
        by_place.setdefault(place, []).append(endpoint)
    for endpoints in by_place.values():
        yield _contact(endpoints[0], tuple(one.role for one in endpoints))


def _contact(endpoint: RoleEndpoint, roles: tuple[Role, ...]) -> Contact:
    from openai import APIConnectionError, APIStatusError, OpenAIError  # noqa: PLC0415 - heavy

    key = endpoint.key.get_secret_value()
    with open_client(endpoint, CONTACT_SECONDS) as client:
        try:
            listed = _models(client)
            if endpoint.model in listed:
                return Contact(endpoint, roles, "ok", f"answers, and lists the model {endpoint.model!r}")
            # Names that a listing leaves out may work all the same: aliases, deployments, adapters.
            _one_word(client, endpoint.model)
        except APIConnectionError:
            return Contact(
                endpoint, roles, "missing", "does not answer", f"Start it, or check {endpoint.url_setting}."
            )
        except APIStatusError as error:
            return _explain_refusal(endpoint, roles, error)
        except (OpenAIError, HTTPError, ValueError) as error:
            told = without_key(" ".join(str(error).split()), key)[:160]
            remedy = f"Check {endpoint.url_setting}; it often ends in /v1."
            return Contact(endpoint, roles, "missing", f"does not answer as an endpoint does: {told}", remedy)
    return Contact(endpoint, roles, "ok", f"answers as the model {endpoint.model!r}")


def _models(client: "OpenAI") -> tuple[str, ...]:
    """The names that the endpoint lists; none where it has no listing."""
    from openai import APIStatusError  # noqa: PLC0415 - heavy

    try:
        return tuple(model.id for model in client.models.list().data or ())
    except APIStatusError as error:
        if error.status_code in {401, 403}:
            raise
        return ()


def _one_word(client: "OpenAI", model: str) -> None:
    from openai import APIStatusError  # noqa: PLC0415 - heavy

    try:
        client.chat.completions.create(
            model=model, messages=[{"role": "user", "content": _ONE_WORD}], max_tokens=16
        )
    except APIStatusError as error:
        # Another complaint than about the model is about a parameter, which the client learns to leave out.
        if error.status_code not in {400, 422} or "model" in str(error.message).casefold().replace(
            "with this model", ""
        ):
            raise


def _explain_refusal(endpoint: RoleEndpoint, roles: tuple[Role, ...], error: "APIStatusError") -> Contact:
    told = without_key(" ".join(str(error.message).split()), endpoint.key.get_secret_value())[:160]
    if error.status_code in {401, 403}:
        return Contact(
            endpoint,
            roles,
            "missing",
            f"refuses the key ({error.status_code})",
            f"Check {endpoint.key_setting}.",
        )
    if error.status_code in {400, 404, 422}:
        return Contact(
            endpoint,
            roles,
            "missing",
            f"does not know the model {endpoint.model!r} ({error.status_code}: {told})",
            f"Check {endpoint.model_setting} and {endpoint.url_setting}.",
        )
    return Contact(
        endpoint, roles, "missing", f"answers with an error: {error.status_code}: {told}", "Try later."
    )
