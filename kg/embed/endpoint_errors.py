"""What an embedding endpoint's failures mean to the user, and what to do about each."""

from openai import (
    APIConnectionError,
    APIResponseValidationError,
    APIStatusError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
)

_LATER = "Run again later."
_MEANINGS: tuple[tuple[type[Exception], str, str], ...] = (
    (AuthenticationError, "refused the key (HTTP 401)", "Set OPENAI_API_KEY to a valid key."),
    (PermissionDeniedError, "denies this key the model (HTTP 403)", "Use another key or another model."),
    (
        NotFoundError,
        "does not know the model, or the address is wrong (HTTP 404)",
        "Check the model's name and OPENAI_BASE_URL.",
    ),
    (
        BadRequestError,
        "refused the request (HTTP 400): {detail}",
        "Check the model's name, its longest input and its dimensions.",
    ),
    (
        RateLimitError,
        "still refuses after several tries: too many requests, or no credit (HTTP 429)",
        "Wait or raise the account's limits, then run again.",
    ),
    (APIStatusError, "failed: {detail}", _LATER),
    (APIResponseValidationError, "did not answer in JSON", "Check that OPENAI_BASE_URL leads to an API."),
    (ValueError, "did not answer in JSON", "Check that OPENAI_BASE_URL leads to an API."),
    (APITimeoutError, "did not answer in time", "Run again later, or use a nearer endpoint."),
    (
        APIConnectionError,
        "can't be reached, or broke off its answer",
        "Check OPENAI_BASE_URL and the network.",
    ),
)
_LONGEST_DETAIL = 200


def explained(error: Exception, key: str) -> tuple[str, str]:
    """What happened, to follow the endpoint's name, and the remedy; neither holds `key`."""
    detail = str(error).partition("\n")[0]
    if key:
        detail = detail.replace(key, "***")
    detail = detail[:_LONGEST_DETAIL].rstrip(".")
    for kind, what, remedy in _MEANINGS:
        if isinstance(error, kind):
            return what.replace("{detail}", detail), remedy
    return f"failed: {detail}", _LATER
