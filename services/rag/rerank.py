"""From a reranker's short name, as on the command line, to the reranker.

Any cross-encoder of sentence-transformers as a reranker; needs the extra of that name.

A rerank endpoint over HTTP: text-embeddings-inference, Jina, Cohere, or another with their JSON.

    POST {"query": "...", "documents": ["...", ...], "model": "..."}
    -> {"results": [{"index": 0, "relevance_score": 0.9}, ...]}

text-embeddings-inference calls the documents "texts" and answers with the bare list, each with a "score".

The built-in reranker: BM25 over the passages at hand, with the question's words.

A retriever whose candidates are reranked, as MultiHop-RAG's own pipeline has it (section 4).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast
from urllib.parse import urldefrag, urlsplit

from httpx2 import Client, HTTPError, InvalidURL, Response
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_random_exponential,
)

from kg.endpoints import without_key
from kg.errors import ModelRefusedError, ModelUnavailableError, SettingsError, installation, shown_address
from kg.llm.protocol import JsonValue
from kg.llm.wire import retry_after_seconds
from kg.settings import Settings
from services.rag.answering import PassageReader, passages_of
from services.rag.protocol import Hit, Passage, RagQuestion, Reranker, Retriever
from services.rag.question_words import words

DEFAULT_MODEL = "BAAI/bge-reranker-large"
"""The reranker of GRADE's appendix A.4."""

_REMEDY = f"Install it: {installation('sentence-transformers')}."


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


DOCUMENTS_A_REQUEST = 32
"""What text-embeddings-inference takes at once by default; passages don't change each other's scores."""

LONGEST_PAUSE_SECONDS = 60.0

_PASSING = {408, 409, 425, 429}
_BACK_OFF = wait_random_exponential(multiplier=0.5, max=20)
_FIELDS = ("documents", "texts")


class _PassingError(Exception):
    """A try that may go better soon; `pause` is what the endpoint asked for, in seconds."""

    def __init__(self, detail: str, pause: float | None = None) -> None:
        super().__init__(detail)
        self.pause = pause


class HttpReranker:
    """A reranker behind an address; 408, 409, 425, 429, 5xx, time-outs, lost connections are tried again."""

    def __init__(self, url: str, key: str = "", timeout_seconds: float = 120.0, retries: int = 6) -> None:
        """Set up; nothing is sent yet. What follows a "#" in `url` is the model's name, sent along.

        Raises:
            SettingsError: this is no address.
        """
        self._url, self._model = urldefrag(url)
        try:
            parts = urlsplit(self._url)
            valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            valid = False
        if not valid or not key.isascii() or not key.isprintable():
            raise SettingsError(
                f"the reranker at {shown_address(self._url)!r} can't be asked: its address or its key is "
                "not usable.",
                "Give one such as http:http://localhost:8080/rerank, and check HOPGRADE_RERANK_API_KEY.",
            )
        self._host = parts.hostname
        self._key = key
        self._retries = retries
        self._field = 0
        self._client = Client(
            timeout=timeout_seconds, headers={"Authorization": f"Bearer {key}"} if key else {}
        )

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"http:{self._url}" + (f"#{self._model}" if self._model else "")

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[Hit]:
        """Every passage once, best first, with the endpoint's score.

        Raises:
            ModelUnavailableError: it does not answer, or not in this form, however often it is asked.
            ModelRefusedError: it refused the key or the request.
        """
        hits: list[Hit] = []
        for begin in range(0, len(passages), DOCUMENTS_A_REQUEST):
            batch = passages[begin : begin + DOCUMENTS_A_REQUEST]
            scores = self._scores(question, [passage.text for passage in batch])
            hits += [Hit(passage.chunk, score) for passage, score in zip(batch, scores, strict=True)]
        return sorted(hits, key=lambda hit: -hit.score)

    def _scores(self, question: str, texts: list[str]) -> list[float]:
        retrying = Retrying(
            stop=stop_after_attempt(self._retries + 1),
            wait=_pause,
            retry=retry_if_exception_type(_PassingError),
            reraise=True,
        )
        try:
            return retrying(self._try, question, texts)
        except _PassingError as error:
            raise ModelUnavailableError(
                f"The reranker at {self._host} failed {self._retries + 1} times on end ({error}).",
                "What was answered is kept. Check the endpoint, then run the same command again.",
            ) from None

    def _try(self, question: str, texts: list[str]) -> list[float]:
        response = self._send(question, texts)
        if response.status_code in {400, 422} and self._field == 0 and "texts" in response.text:
            self._field = 1
            response = self._send(question, texts)
        status = response.status_code
        if status in _PASSING or status >= 500:
            raise _PassingError(f"HTTP {status}", retry_after_seconds(response.headers))
        if status >= 300:
            detail = without_key(response.text, self._key)
            raise ModelRefusedError(
                f"The reranker at {self._host} refused the request (HTTP {status}): {detail}.",
                "Check its address, HOPGRADE_RERANK_API_KEY, and the model's name after the # of --reranker.",
            )
        scores = _scores(response, len(texts))
        if scores is None:
            raise _PassingError("its answer is no list with an index and a score for every passage")
        return scores

    def _send(self, question: str, texts: list[str]) -> Response:
        body: dict[str, object] = {"query": question, _FIELDS[self._field]: texts}
        if self._model:
            body["model"] = self._model
        try:
            return self._client.post(self._url, json=body)
        except InvalidURL as error:
            raise SettingsError(
                f"{shown_address(self._url)!r} is not an address", "Check --reranker."
            ) from error
        except HTTPError as error:
            # Without the cause: it may quote the request, and so the key.
            raise _PassingError(type(error).__name__) from None


def _scores(response: Response, count: int) -> list[float] | None:
    """A score for each document, None where the answer does not give exactly these."""
    try:
        value = cast(JsonValue, response.json())
    except ValueError:
        return None
    rows = value.get("results", value.get("data")) if isinstance(value, dict) else value
    found: dict[int, float] = {}
    for row in rows if isinstance(rows, list) else ():
        index = row.get("index") if isinstance(row, dict) else None
        score = row.get("score", row.get("relevance_score")) if isinstance(row, dict) else None
        if isinstance(index, int) and isinstance(score, int | float):
            found[index] = float(score)
    return [found[index] for index in range(count)] if found.keys() == set(range(count)) else None


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    question = error.pause if isinstance(error, _PassingError) else None
    back_off = _BACK_OFF(state)
    return back_off if question is None else min(question, LONGEST_PAUSE_SECONDS)


K1 = 1.2
B = 0.75
"""The usual constants (Robertson and Zaragoza 2009, section 3.2)."""


class LexicalReranker:
    """Scores a passage by BM25; words are lemmas, and rare among the passages at hand is rare."""

    @property
    def name(self) -> str:
        """The name that a run records."""
        return "lexical"

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[Hit]:
        """Every passage once, best first; equal scores keep the order in which the passages came."""
        texts = [Counter(words(f"{passage.title}\n{passage.text}")) for passage in passages]
        frequency = Counter(word for text in texts for word in text)
        mean = sum(text.total() for text in texts) / max(len(texts), 1) or 1.0
        wanted = sorted(set(words(question)))
        scores = [
            sum(
                _inverse(frequency[word], len(texts)) * _saturation(text[word], text.total() / mean)
                for word in wanted
            )
            for text in texts
        ]
        hits = [Hit(passage.chunk, round(score, 6)) for passage, score in zip(passages, scores, strict=True)]
        return sorted(hits, key=lambda hit: -hit.score)


def _inverse(frequency: int, passages: int) -> float:
    return math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5))


def _saturation(count: int, relative_length: float) -> float:
    return count * (K1 + 1) / (count + K1 * (1 - B + B * relative_length))


def rerank_hits(
    reranker: Reranker, question: str, hits: Sequence[Hit], passages: Sequence[Passage]
) -> list[Hit]:
    """Every hit once by the reranker's score, best first; the retriever's is kept among its parts."""
    before = {hit.chunk: hit for hit in hits}
    return [
        Hit(
            hit.chunk,
            hit.score,
            (("reranker", hit.score), ("retriever", before[hit.chunk].score), *before[hit.chunk].parts),
        )
        for hit in reranker.rerank(question, passages)
    ]


RERANKED = 3
"""How many times the wanted hits a reranker reads where nobody says, as many as the retriever gives."""


MOST_CANDIDATES = 1_000
"""More chunks of a search than anybody lets a model read."""


@dataclass(frozen=True, slots=True)
class RerankedRetriever:
    """The `limit` best of `candidates` chunks that a retriever finds, by a reranker."""

    retriever: Retriever
    reranker: Reranker
    read: PassageReader
    limit: int
    candidates: int

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.retriever.name}+{self.reranker.name}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """For each question the best of its candidates.

        Raises:
            ModelUnavailableError: the endpoint of an HTTP reranker can't be reached.
        """
        return self.best_of(questions, self.retriever.retrieve(questions))

    def best_of(
        self, questions: Sequence[RagQuestion], candidates: Sequence[Sequence[Hit]]
    ) -> list[list[Hit]]:
        """The best of each question's candidates, by what the question says.

        Raises:
            ModelUnavailableError: the endpoint of an HTTP reranker can't be reached.
        """
        passages = passages_of(self.read, candidates)
        return [
            rerank_hits(self.reranker, question.text, hits, seen)[: self.limit]
            for question, hits, seen in zip(questions, candidates, passages, strict=True)
        ]


CHOICES = ("lexical", "cross-encoder[:MODEL]", "http:URL")
DEFAULT = "lexical"

_Provider = Literal["lexical", "cross-encoder", "http"]


def make_reranker(option: str, settings: Settings) -> Reranker:
    """The reranker for `option`, one of `CHOICES`; an endpoint's key comes from `settings`.

    Raises:
        SettingsError: no such reranker, its library is not installed, or its model can't be loaded.
    """
    provider, place = _parse_option(option)
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
    provider, place = _parse_option(option)
    return f"{provider}:{place}" if place else provider


def _parse_option(option: str) -> tuple[_Provider, str]:
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
