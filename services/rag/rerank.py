"""From a reranker's short name, as on the command line, to the reranker."""

from typing import Literal

from kg.errors import SettingsError
from kg.settings import Settings
from services.rag.protocol import Reranker
from services.rag.rerank_cross_encoder import DEFAULT_MODEL, CrossEncoderReranker
from services.rag.rerank_http import HttpReranker
from services.rag.rerank_lexical import LexicalReranker

CHOICES = ("lexical", "cross-encoder[:MODEL]", "http:URL")
DEFAULT = "lexical"

_Provider = Literal["lexical", "cross-encoder", "http"]


def make_reranker(option: str, settings: Settings) -> Reranker:
    """The reranker for `option`, one of `CHOICES`; an endpoint's key comes from `settings`.

    Raises:
        SettingsError: no such reranker, its library is not installed, or its model can't be loaded.
    """
    provider, place = _parsed(option)
    match provider:
        case "lexical":
            return _lexical()
        case "cross-encoder":
            return _cross_encoder(place)
        case "http":
            return _http(place, settings)


def reranker_name(option: str) -> str:
    """What a run records of the option, the name of the reranker; a change of it is another run.

    Raises:
        SettingsError: no such reranker, or its address holds a user's name or password.
    """
    provider, place = _parsed(option)
    return f"{provider}:{place}" if place else provider


def _parsed(option: str) -> tuple[_Provider, str]:
    """What reranks, and its model or address."""
    provider, _, rest = option.strip().partition(":")
    match provider:
        case "lexical" if not rest:
            return "lexical", ""
        case "cross-encoder":
            return "cross-encoder", rest or DEFAULT_MODEL
        case "http" | "https" if rest.startswith("//"):
            return "http", _without_credentials(option.strip())
        case "http" if rest.startswith(("http://", "https://")):
            return "http", _without_credentials(rest)
    raise SettingsError(
        f"{option!r} is not a reranker.",
        f"Use one of: {', '.join(CHOICES)}; a URL may end in #MODEL where the endpoint wants a model's name.",
    )


def _without_credentials(url: str) -> str:
    """The address, which is recorded with the run, and so may hold no secret."""
    host = url.partition("://")[2].partition("/")[0]
    if "@" in host:
        # Not shown: what stands before the @ is a password.
        raise SettingsError(
            f"the address of the reranker holds credentials before {host.rpartition('@')[2]!r}.",
            "Put its key into HOPGRADE_RERANK_API_KEY: the address is recorded with the run.",
        )
    return url


def _lexical() -> Reranker:
    return LexicalReranker()


def _cross_encoder(model: str) -> Reranker:
    return CrossEncoderReranker(model)


def _http(url: str, settings: Settings) -> Reranker:
    key = settings.hopgrade_rerank_api_key
    return HttpReranker(
        url,
        key.get_secret_value() if key else "",
        settings.hopgrade_model_timeout_seconds,
        settings.hopgrade_model_retries,
    )
