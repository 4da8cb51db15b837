"""From an embedder's short name, as on the command line, to the embedder."""

from kg.embed.protocol import Embedder
from kg.errors import SettingsError
from kg.settings import Settings

CHOICES = ("builtin", "sentence-transformers:MODEL", "openai:MODEL")


def make_embedder(spec: str, settings: Settings) -> Embedder:
    """The embedder for `spec`, one of `CHOICES`; the endpoint's key and base URL come from `settings`.

    Raises:
        SettingsError: no such embedder, or no key and no base URL for "openai:MODEL".
        EmbeddingError: the model can't be loaded.
    """
    provider, _, model = spec.strip().partition(":")
    match provider:
        case "builtin" if not model:
            return _builtin()
        case "sentence-transformers" if model:
            return _sentence_transformers(model)
        case "openai" if model:
            return _openai(model, settings)
    raise SettingsError(f'"{spec}" is not an embedder.', f"Use one of: {', '.join(CHOICES)}.")


def asks_endpoint(spec: str) -> bool:
    """Whether the embedder for `spec` asks an endpoint, which may cost."""
    return spec.strip().startswith("openai:")


# Each provider's libraries are imported only when it is chosen, since they take up to seconds to load.


def _builtin() -> Embedder:
    from kg.embed.builtin import BuiltinEmbedder  # noqa: PLC0415

    return BuiltinEmbedder()


def _sentence_transformers(model: str) -> Embedder:
    from kg.embed.sentence_transformers import SentenceTransformersEmbedder  # noqa: PLC0415

    return SentenceTransformersEmbedder(model)


def _openai(model: str, settings: Settings) -> Embedder:
    from kg.embed.openai import OpenAIEmbedder  # noqa: PLC0415

    if settings.openai_api_key is None and settings.openai_base_url is None:
        raise SettingsError(
            f'The embedder "openai:{model}" has no key.',
            "Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none.",
        )
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else ""
    return OpenAIEmbedder(model, key, settings.openai_base_url)
