"""Any cross-encoder of sentence-transformers as a reranker; needs the extra of that name."""

from collections.abc import Sequence

from kg.errors import SettingsError
from services.rag.protocol import Hit, Passage

DEFAULT_MODEL = "BAAI/bge-reranker-large"
"""The reranker of GRADE's appendix A.4."""

_REMEDY = 'Install it: pip install "hopgrade[sentence-transformers]".'


class CrossEncoderReranker:
    """A cross-encoder by its name or folder, on a GPU where there is one."""

    def __init__(self, model: str, device: str | None = None, batch_pairs: int = 32) -> None:
        """Load `model`, fetching it if it is not on this machine; `device` such as "cuda" or "cpu".

        Raises:
            SettingsError: sentence-transformers is not installed, or the model can't be loaded.
        """
        try:
            from sentence_transformers import CrossEncoder  # noqa: PLC0415 - heavy and optional
        except ImportError as error:
            raise SettingsError("sentence-transformers is not installed.", _REMEDY) from error
        try:
            self._model = CrossEncoder(model, device=device)
        except (OSError, ValueError, RuntimeError) as error:
            reason = str(error).strip().partition("\n")[0][:200]
            raise SettingsError(
                f'The cross-encoder "{model}" can\'t be loaded: {reason}',
                "Check its name, and that the network or the model's folder can be reached.",
            ) from error
        self._name = f"cross-encoder:{model}"
        self._batch_pairs = batch_pairs

    @property
    def name(self) -> str:
        """The name that a run records."""
        return self._name

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[Hit]:
        """Every passage once, best first, with the model's score."""
        if not passages:
            return []
        scores = self._model.predict(
            [(question, passage.text) for passage in passages],
            batch_size=self._batch_pairs,
            show_progress_bar=False,
        )
        hits = [Hit(passage.chunk, float(score)) for passage, score in zip(passages, scores, strict=True)]
        return sorted(hits, key=lambda hit: -hit.score)
