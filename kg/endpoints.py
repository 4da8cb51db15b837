"""What the failures of an OpenAI-compatible endpoint mean to the user, and what to do about each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EndpointNames:
    """What the remedies name: the settings of the key, the address and the model, and what to check in a
    request that was refused."""

    key: str = "OPENAI_API_KEY"
    address: str = "OPENAI_BASE_URL"
    model: str = "the model's name"
    request: str = "the model's name, its longest input and its dimensions"


_LATER = "Run again later."
_MEANINGS: tuple[tuple[str, str, str], ...] = (
    ("AuthenticationError", "refused the key (HTTP 401)", "Set {named.key} to a valid key."),
    ("PermissionDeniedError", "denies this key the model (HTTP 403)", "Use another key or another model."),
    (
        "NotFoundError",
        "does not know the model, or the address is wrong (HTTP 404)",
        "Check {named.model} and {named.address}.",
    ),
    ("BadRequestError", "refused the request (HTTP 400): {detail}", "Check {named.request}."),
    (
        "RateLimitError",
        "still refuses after several tries: too many requests, or no credit (HTTP 429)",
        "Wait or raise the account's limits, then run again.",
    ),
    ("APIStatusError", "failed: {detail}", _LATER),
    ("APIResponseValidationError", "did not answer in JSON", "Check that {named.address} leads to an API."),
    ("ValueError", "did not answer in JSON", "Check that {named.address} leads to an API."),
    ("APITimeoutError", "did not answer in time", "Run again later, or use a nearer endpoint."),
    (
        "APIConnectionError",
        "can't be reached, or broke off its answer",
        "Check {named.address} and the network.",
    ),
)
"""By the name of an error of the openai package, which is loaded only where a model is called."""
_LONGEST_DETAIL = 200


def explain_error(error: Exception, key: str, named: EndpointNames = EndpointNames()) -> tuple[str, str]:
    """What happened, to follow the endpoint's name, and the remedy; neither holds `key`."""
    detail = without_key(str(error), key)
    kinds = {kind.__name__ for kind in type(error).__mro__}
    for kind, what, remedy in _MEANINGS:
        if kind in kinds:
            return what.replace("{detail}", detail), remedy.format(named=named)
    return f"failed: {detail}", _LATER


def without_key(text: str, key: str) -> str:
    """The first line of what an endpoint said, cut to 200 letters, with the key blotted out."""
    line = text.strip().partition("\n")[0]
    if key:
        line = line.replace(key, "***")
    return line[:_LONGEST_DETAIL].rstrip(". ")
