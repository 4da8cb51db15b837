"""What a failed try means: try again, give up this request, or end with a remedy.

How long an endpoint asks to be left alone (RFC 9110, section 10.2.3).
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING

from httpx2 import ConnectError, ConnectTimeout, HTTPError, TimeoutException

from kg.endpoints import Named, explained, without_key
from kg.errors import ModelRefusedError
from kg.llm.protocol import FailureKind
from kg.llm.roles import RoleEndpoint

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The pause that `Retry-After` names in seconds or as a date, or `retry-after-ms`, if any.

    A date is held against the endpoint's own clock (`Date`) where it tells it, since ours may differ.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    named = headers.get("retry-after")
    seconds = _number(named)
    if seconds is not None:
        return seconds
    until = _date(named)
    if until is None:
        return None
    now = _date(headers.get("date")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def _date(text: str | None) -> datetime | None:
    try:
        found = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    # "-0000" and a missing zone give a date without one; HTTP dates are in UTC.
    return found if found.tzinfo else found.replace(tzinfo=UTC)


LONGEST_PAUSE_SECONDS = 300.0
"""An endpoint that asks for a longer pause is given up for this request."""

_REFUSED_REQUEST = {400, 404, 413, 422}
_PASSING = {408, 409, 429}
_WITHOUT_TOOLS = re.compile(r"tools? param requires|--jinja")
"""llama.cpp's server refuses tools with HTTP 500 where it was started without a template for them."""

_NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}


class PassingError(Exception):
    """A try that failed in a way that may pass.

    `pause` is what the endpoint asked for, in seconds; `soon`: it is worth waiting for; `charged`: the
    model has worked, and the endpoint may want its price.
    """

    def __init__(
        self,
        kind: FailureKind,
        detail: str,
        pause: float | None = None,
        soon: bool = True,
        charged: bool = False,
    ) -> None:
        super().__init__(detail)
        self.kind: FailureKind = kind
        self.detail = detail
        self.pause = pause
        self.soon = soon
        self.charged = charged


class RejectedError(ModelRefusedError):
    """The endpoint refused this request with 400, 404, 413 or 422; `about` is what it said, in lower case."""

    def __init__(self, message: str, remedy: str, status: int, about: str, detail: str) -> None:
        super().__init__(message, remedy)
        self.status = status
        self.about = about
        self.detail = detail


def refused(endpoint: RoleEndpoint, what: str, remedy: str) -> ModelRefusedError:
    """The error for an endpoint that refused for good."""
    return ModelRefusedError(f"{endpoint.described} {what}.", remedy)


def broken_off() -> PassingError:
    """The error for an answer of which a part is missing."""
    return PassingError("cut off", "the answer broke off on its way", charged=True)


def late(timeout_seconds: float) -> PassingError:
    """The error for an answer that was not whole in time."""
    return PassingError("time-out", f"no whole answer within {timeout_seconds:g} seconds", charged=True)


def sorted_failure(
    error: "OpenAIError | HTTPError", endpoint: RoleEndpoint, timeout_seconds: float
) -> PassingError | ModelRefusedError:
    """A failed try as the error to raise; nothing in it holds the key."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError  # noqa: PLC0415 - heavy

    if isinstance(error, APIStatusError):
        return _sorted_status(error, endpoint)
    cause = error.__cause__
    if isinstance(cause, ConnectError | ConnectTimeout):
        return PassingError("connection", "no connection")
    if isinstance(error, APITimeoutError | TimeoutException):
        return late(timeout_seconds)
    if isinstance(error, APIConnectionError):
        return PassingError("connection", "the connection was lost before an answer came")
    if isinstance(error, HTTPError):
        return broken_off()
    return refused(endpoint, *explained(error, endpoint.key.get_secret_value(), _named(endpoint)))


def _sorted_status(error: "APIStatusError", endpoint: RoleEndpoint) -> PassingError | ModelRefusedError:
    status, body, key = error.status_code, error.body, endpoint.key.get_secret_value()
    fields = body if isinstance(body, Mapping) else {}
    detail = without_key(str(fields.get("message") or error), key)
    if status == 429 and _NO_CREDIT & {str(fields.get("code")), str(fields.get("type"))}:
        what = f"gives no more credit to this key (HTTP 429): {detail}"
        return refused(endpoint, what, "Add credit or use another key.")
    if status == 402:
        what = f"wants to be paid first (HTTP 402): {detail}"
        return refused(endpoint, what, "Add credit to the account.")
    if status in _PASSING or (status >= 500 and not _WITHOUT_TOOLS.search(detail)):
        return _passing(status, detail, retry_after_seconds(error.response.headers))
    what, remedy = explained(error, key, _named(endpoint))
    if status in _REFUSED_REQUEST or status >= 500:
        about = " ".join(str(fields.get(name) or "") for name in ("message", "code", "param", "type"))
        about = (about if fields.get("message") else str(body or error)).lower()
        return RejectedError(f"{endpoint.described} {what}.", remedy, status, about, detail)
    return refused(endpoint, what, remedy)


def _passing(status: int, detail: str, pause: float | None) -> PassingError:
    kinds: dict[int, FailureKind] = {429: "rate limit", 408: "time-out", 504: "time-out"}
    kind = kinds.get(status, "server error")
    said = f"HTTP {status}: {detail}"
    if pause is not None and pause > LONGEST_PAUSE_SECONDS:
        return PassingError(kind, f"{said}; it asks for a pause of {pause:.0f} seconds", soon=False)
    return PassingError(kind, said, pause)


def _named(endpoint: RoleEndpoint) -> Named:
    return Named(endpoint.key_setting, endpoint.url_setting, endpoint.model_setting, endpoint.model_setting)
