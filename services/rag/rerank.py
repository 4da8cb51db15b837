"""From a reranker's short name, as on the command line, to the reranker."""

from kg.errors import SettingsError
from kg.settings import Settings
from services.rag.protocol import Reranker
from services.rag.rerank_cross_encoder import DEFAULT_MODEL

CHOICES = ("lexical", "cross-encoder[:MODEL]", "http:URL")
DEFAULT = "lexical"


def make_reranker(option: str, settings: Settings) -> Reranker:
    """The reranker for `option`, one of `CHOICES`; an endpoint's key comes from `settings`.

    Raises:
        SettingsError: no such reranker, its library is not installed, or its model can't be loaded.
    """
    provider, _, rest = option.strip().partition(":")
    match provider:
        case "lexical" if not rest:
            return _lexical()
        case "cross-encoder":
            return _cross_encoder(rest)
        case "http" | "https" if rest.startswith("//"):
            return _http(option.strip(), settings)
        case "http" if rest.startswith(("http://", "https://")):
            return _http(rest, settings)
    raise SettingsError(
        f"{option!r} is not a reranker.",
        f"Use one of: {', '.join(CHOICES)}; a URL may end in #MODEL where the endpoint wants a model's name.",
    )


def reranker_name(option: str) -> str:
    """What a run records of the option; a change of it is another run."""
    plain = option.strip()
    return f"{plain.rstrip(':')}:{DEFAULT_MODEL}" if plain in {"cross-encoder", "cross-encoder:"} else plain


# Each one's libraries are imported only when it is chosen, since they take up to seconds to load.


def _lexical() -> Reranker:
    from services.rag.rerank_lexical import LexicalReranker  # noqa: PLC0415

    return LexicalReranker()


def _cross_encoder(model: str) -> Reranker:
    from services.rag.rerank_cross_encoder import CrossEncoderReranker  # noqa: PLC0415

    return CrossEncoderReranker(model or DEFAULT_MODEL)


def _http(url: str, settings: Settings) -> Reranker:
    from services.rag.rerank_http import HttpReranker  # noqa: PLC0415

    key = settings.hopgrade_rerank_api_key
    return HttpReranker(
        url,
        key.get_secret_value() if key else "",
        settings.hopgrade_model_timeout_seconds,
        settings.hopgrade_model_retries,
    )
