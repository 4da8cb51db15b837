"""First stage: article files become Article nodes; rows that can't be used are set aside with the reason.

Second stage: articles become chunks with exact offsets.
"""

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path

from kg.corpus import article_fingerprint, count_rejects, drop_corpus
from kg.engine.choose import Engine, Work, settled
from kg.engine.processes import LocalEngine
from kg.errors import NothingToDoError, SettingsError
from kg.ids import bare_id, content_id, node_id, shelf_marks
from kg.ingest.read import read_articles
from kg.ingest.rows import Note, file_and_line, path_text
from kg.ledger import Counts, record_stage
from kg.model import Article, ArticleRow, Chunk, Reject
from kg.progress import Progress
from kg.queries import query
from kg.store.graph import Graph, Row, batches
from kg.text.chunks import ChunkSize, chunk
from kg.text.tokens import LETTERS_A_TOKEN, count_tokens

ARTICLES_A_BATCH = 100
MIN_TOKENS = 50
"""Articles with fewer are set aside. GRADE (section 4.1) took 512 to 8,192; of real news briefs 512 drops
two of three, and 50 one of fourteen, the stubs (docs/decisions/0059)."""
REASONS_TOLD = 5
"""Where nothing is left, so many reasons are told."""
MANY_SET_ASIDE = 0.2
"""From this share of the rows on, why they were set aside is said at once."""


@dataclass(frozen=True, slots=True)
class ArticleLimits:
    """Tokens that an article must have, and may have (GRADE, section 4.1), and how many articles are taken.

    With `most_articles` the first that fit are taken, in the order of the files; nothing behind them is read.
    Articles that the corpus has already count, so the same files with a larger number add the rest.

    `since` and `until` are the first and the last day (of UTC) of publication: GRADE took only what its
    models could not have read (section 3.1). With either, an article without a day is set aside.
    """

    min_tokens: int = MIN_TOKENS
    max_tokens: int = 8_192
    most_articles: int | None = None
    since: date | None = None
    until: date | None = None

    def __post_init__(self) -> None:
        if not 0 < self.min_tokens <= self.max_tokens:
            raise SettingsError(
                f"no article has at least {self.min_tokens} and at most {self.max_tokens} tokens.",
                "Give --min-tokens smaller than --max-tokens.",
            )
        if self.since and self.until and self.until < self.since:
            raise SettingsError(
                f"no day is from {self.since} on and not after {self.until}.",
                "Give --since an earlier day than --until.",
            )

    def day_trouble(self, published_at: datetime | None) -> str:
        """Why an article of that time is not taken; empty if it is, or if any day will do."""
        if not (self.since or self.until):
            return ""
        if published_at is None:
            return "no day of publication, which --since and --until need"
        day = (published_at.astimezone(UTC) if published_at.tzinfo else published_at).date()
        if self.since and day < self.since:
            return f"published on {day}, before {self.since}"
        return f"published on {day}, after {self.until}" if self.until and day > self.until else ""


def ingest_articles(
    graph: Graph,
    corpus: str,
    paths: Sequence[Path],
    mapping: Mapping[str, str],
    limits: ArticleLimits,
    progress: Progress,
) -> Counts:
    """Read files into a corpus; articles with the same text are merged.

    Raises:
        InputError: a file can't be read at all; files are looked at before the first article is written.
        NothingToDoError: the corpus has no article now; what was set aside is recorded.
    """
    progress.begin("articles")
    graph.rows(query("articles/forget_rejects"), corpus=corpus, paths=[path_text(path) for path in paths])
    sorter = _Sorter(corpus, limits, graph.rows(query("articles/list_articles"), corpus=corpus))
    for batch in batches(read_articles(paths, mapping), ARTICLES_A_BATCH):
        articles, remarks = sorter.sort(batch)
        graph.write_rows(query("articles/write_articles"), map(_article_row, articles), corpus=corpus)
        graph.write_rows(
            query("articles/write_rejects"),
            (_remark_row(corpus, remark) for remark in remarks),
            corpus=corpus,
        )
        graph.write_rows(query("articles/write_other_ids"), sorter.take_other_ids())
        progress.advance(len(batch))
        if sorter.full:
            break
    total, fingerprint = article_fingerprint(graph, corpus)
    set_aside = count_rejects(graph, corpus, "set aside")
    counts: Counts = {"articles": total, "duplicates": sorter.duplicates, "set_aside": set_aside}
    record_stage(graph, corpus, "articles", fingerprint, counts)
    progress.end(
        f"{total} articles, {sorter.duplicates} duplicates merged, {sorter.set_aside} set aside"
        f"{sorter.why_so_many()}"
    )
    if total == 0:
        error = _nothing_left(graph, corpus, sorter)
        drop_corpus(graph, corpus)
        raise error
    return counts


def _nothing_left(graph: Graph, corpus: str, sorter: "_Sorter") -> NothingToDoError:
    """Why no article is left, with the first reasons: the corpus, and its list of them, goes."""
    if sorter.set_aside == 0:
        return NothingToDoError("the files hold no article.", "Give files with articles.")
    if sorter.set_aside == sorter.too_short:
        return NothingToDoError(
            f"no article was kept, and no corpus made: {sorter.set_aside} set aside, all too short (the "
            f"longest has {sorter.most_tokens:,} tokens).",
            "Keep short ones with --min-tokens 1.",
        )
    if sorter.set_aside == sorter.other_days:
        return NothingToDoError(
            f"no article was kept, and no corpus made: {sorter.set_aside} set aside, all of other days.",
            "Give other days with --since and --until, or their column with --map published_at=COLUMN.",
        )
    rows = graph.rows(query("articles/read_rejects"), corpus=corpus)
    reasons = "; ".join(f"{row['place']}: {row['reason']}" for row in rows[:REASONS_TOLD])
    more = f"; and {len(rows) - REASONS_TOLD} more" if len(rows) > REASONS_TOLD else ""
    return NothingToDoError(
        f"no article was kept, and no corpus made: {sorter.set_aside} set aside: {reasons}{more}.",
        "Mend the files, or name their columns with --map.",
    )


class _Sorter:
    """Tells articles to write from rows to set aside, and knows what it has seen."""

    def __init__(self, corpus: str, limits: ArticleLimits, known: Iterable[Mapping[str, str]]) -> None:
        self._corpus = corpus
        self._limits = limits
        self._known = {row["id"] for row in known}
        self._given: dict[str, str] = {}
        self._seen: set[str] = set()
        self._other_ids: dict[str, list[str]] = {}
        self.duplicates = 0
        self.set_aside = 0
        self.rows = 0
        self.too_short = 0
        self.too_long = 0
        self.other_days = 0
        self.most_tokens = 0
        self.example = ""
        self._fitting = 0

    @property
    def full(self) -> bool:
        """Whether as many articles were found as may be taken."""
        return self._fitting == self._limits.most_articles

    def why_so_many(self) -> str:
        """Why rows were set aside, where that befell more than a fifth of them; "" elsewhere."""
        if self.set_aside <= MANY_SET_ASIDE * self.rows:
            return ""
        limits = self._limits
        reasons = (
            (self.too_short, f"of fewer than {limits.min_tokens:,} tokens (--min-tokens changes that)"),
            (self.too_long, f"of more than {limits.max_tokens:,} tokens (--max-tokens changes that)"),
            (self.other_days, "of other days (--since and --until change that)"),
            (
                self.set_aside - self.too_short - self.too_long - self.other_days,
                f"for other reasons, the first {self.example}",
            ),
        )
        found = "; ".join(f"{number:,} {reason}" for number, reason in reasons if number)
        return f", {self.set_aside / self.rows:.0%} of {self.rows:,} rows: {found}"

    def sort(self, batch: Iterable[ArticleRow | Reject | Note]) -> tuple[list[Article], list[Reject | Note]]:
        articles: list[Article] = []
        remarks: list[Reject | Note] = []
        for item in batch:
            if self.full:
                break
            self.rows += not isinstance(item, Note)
            result = self._article_of(item) if isinstance(item, ArticleRow) else item
            if isinstance(item, ArticleRow) and not isinstance(result, Reject):
                remarks += self._shared_id(item)
            if isinstance(result, Article):
                articles.append(result)
            elif result is not None:
                remarks.append(result)
                if isinstance(result, Reject):
                    self.set_aside += 1
                    self.example = self.example or f"{result.place}: {result.reason}"
        return articles, remarks

    def take_other_ids(self) -> Iterator[dict[str, object]]:
        """The ids of rows whose text an article has already, by that article; each is handed out once."""
        for article, ids in self._other_ids.items():
            yield {"id": article, "ids": ids}
        self._other_ids = {}

    def _shared_id(self, row: ArticleRow) -> Iterator[Note]:
        """A note on an article whose id another one of this input has: both are kept, told apart by text."""
        sha256 = _sha256(row)
        if row.given_id and self._given.setdefault(row.given_id, sha256) != sha256:
            yield Note(
                row.place,
                f"another article with different text has the same id {row.given_id!r}; both are kept",
            )

    def _article_of(self, row: ArticleRow) -> Article | Reject | None:
        sha256 = _sha256(row)
        found = article_id(self._corpus, sha256, self._known)
        if (found in self._seen or found in self._known) and row.given_id:
            self._other_ids.setdefault(found, []).append(row.given_id)
        if found in self._seen:
            self.duplicates += 1
            return None
        self._seen.add(found)
        if found in self._known:
            self._fitting += 1
            return None
        tokens = count_tokens(row.body)
        if reason := self._trouble(row, tokens):
            return Reject(row.place, reason)
        self._fitting += 1
        return Article(
            id=found,
            title=row.title,
            body=row.body,
            source=row.source,
            category=row.category,
            author=row.author,
            published_at=row.published_at,
            url=row.url,
            tokens=tokens,
            sha256=sha256,
            given_id=row.given_id,
        )

    def _trouble(self, row: ArticleRow, tokens: int) -> str:
        """Why an article that nobody has seen is set aside, counted by reason; empty if it fits."""
        limits, letters = self._limits, LETTERS_A_TOKEN * self._limits.max_tokens
        if reason := limits.day_trouble(row.published_at):
            self.other_days += 1
        elif tokens < limits.min_tokens:
            self.too_short += 1
            self.most_tokens = max(self.most_tokens, tokens)
            reason = f"{tokens:,} tokens, fewer than {limits.min_tokens:,}"
        elif tokens > limits.max_tokens:
            self.too_long += 1
            reason = f"{tokens:,} tokens, more than {limits.max_tokens:,}"
        elif len(row.body) > letters:
            reason = f"{len(row.body):,} characters, more than {letters:,}"
        return reason


def article_id(corpus: str, sha256: str, known: Collection[str] = ()) -> str:
    """The id of an article by the hash of its words; that from before ids had marks where it is `known`."""
    before = node_id(corpus, "article", sha256)
    return before if before in known else content_id(corpus, "article", sha256)


def _sha256(row: ArticleRow) -> str:
    """What an article is known by: its words, whatever the white space between them."""
    return hashlib.sha256(" ".join(row.body.split()).encode()).hexdigest()


def _article_row(article: Article) -> dict[str, object]:
    return {name: getattr(article, name) for name in Article.__slots__}


def _remark_row(corpus: str, remark: Reject | Note) -> dict[str, object]:
    file, line = file_and_line(remark.place)
    return {
        "id": node_id(corpus, "reject", remark.place, remark.reason),
        "kind": "set aside" if isinstance(remark, Reject) else "note",
        "place": remark.place,
        "file": file,
        "line": line,
        "reason": remark.reason,
    }


def rejects(graph: Graph, corpus: str) -> Iterator[Mapping[str, str]]:
    """The rows of a corpus that were set aside or noted, by file and line."""
    yield from graph.stream(query("articles/read_rejects"), corpus=corpus)


CHUNKED_A_BATCH = 100


def chunk_articles(
    graph: Graph, corpus: str, size: ChunkSize, progress: Progress, engine: Engine | None = None
) -> Counts:
    """Cut every article that has no chunks yet; older chunks get what chunks hold of their article by now."""
    _shelve(graph, corpus)
    pending = [row["id"] for row in graph.rows(query("articles/list_pending"), corpus=corpus, mark="chunked")]
    progress.step("chunks", len(pending))
    read: deque[list[str]] = deque()

    def bodies() -> Iterator[list[str]]:
        for ids in batches(pending, CHUNKED_A_BATCH):
            rows = graph.rows(query("articles/read_bodies"), ids=ids)
            read.append([row["id"] for row in rows])
            yield [row["body"] for row in rows]

    work: Work[list[str], list[list[Chunk]]] = Work(f"chunks/{size}", partial(_open_chunker, size))
    for outcome in (engine or LocalEngine()).map(work, bodies()):
        ids, pieces = read.popleft(), settled(outcome)
        fields = _fields(graph, corpus, ids)
        rows = [_chunked_row(corpus, id_, cut, fields[id_]) for id_, cut in zip(ids, pieces, strict=True)]
        graph.rows(query("chunks/write_chunks"), corpus=corpus, rows=rows)
        progress.advance(len(ids))
    return {"chunks": graph.rows(query("chunks/count_chunks"), corpus=corpus)[0]["chunks"]}


def _open_chunker(size: ChunkSize) -> Callable[[list[str]], list[list[Chunk]]]:
    """What cuts a batch of bodies; it loads nothing."""
    return lambda bodies: [chunk(body, size) for body in bodies]


def chunk_id(corpus: str, article: str, position: int) -> str:
    """The id of the chunk at a position of an article; of one from before ids had marks, as it was then."""
    make = node_id if bare_id(article) == article else content_id
    return make(corpus, "chunk", article, str(position))


def _shelve(graph: Graph, corpus: str) -> None:
    older = [row["id"] for row in graph.rows(query("chunks/list_unshelved"), corpus=corpus)]
    for ids in batches(older, CHUNKED_A_BATCH):
        rows = [
            {"article": article, "fields": fields} for article, fields in _fields(graph, corpus, ids).items()
        ]
        graph.rows(query("chunks/write_shelves"), rows=rows)


def _fields(graph: Graph, corpus: str, articles: Sequence[str]) -> dict[str, dict[str, str]]:
    """What the chunks of some articles hold of them, by article."""
    return {
        row["id"]: _chunk_fields(corpus, row)
        for row in graph.rows(query("chunks/read_articles"), ids=articles)
    }


def _chunk_fields(corpus: str, article: Row) -> dict[str, str]:
    shown = {name: article[name] for name in ("title", "source", "category", "author", "published")}
    return shown | shelf_marks(
        corpus, shown["source"], shown["category"], shown["author"], shown["published"]
    )


def _chunked_row(corpus: str, article: str, pieces: list[Chunk], fields: dict[str, str]) -> dict[str, object]:
    return {
        "article": article,
        "fields": fields,
        "chunks": [_chunk_row(corpus, article, piece) for piece in pieces],
        "links": list(_links(corpus, article, pieces)),
    }


def _chunk_row(corpus: str, article: str, piece: Chunk) -> dict[str, object]:
    return {
        "id": chunk_id(corpus, article, piece.position),
        "article": article,
        "position": piece.position,
        "start": piece.start,
        "end": piece.end,
        "tokens": piece.tokens,
        "text": piece.text,
    }


def _links(corpus: str, article: str, pieces: list[Chunk]) -> Iterator[dict[str, str]]:
    for before, after in pairwise(pieces):
        yield {
            "from": chunk_id(corpus, article, before.position),
            "to": chunk_id(corpus, article, after.position),
        }
