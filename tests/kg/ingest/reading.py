"""How these tests read a file and sort what comes out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kg.ingest.read import read_articles
from kg.ingest.rows import Note
from kg.model import ArticleRow, Reject


@dataclass(frozen=True)
class Reading:
    articles: list[ArticleRow]
    rejects: list[Reject]
    notes: list[Note]

    @property
    def bodies(self) -> list[str]:
        return [article.body for article in self.articles]


def read(*paths: Path, mapping: Mapping[str, str] | None = None) -> Reading:
    out = list(read_articles(paths, mapping or {}))
    return Reading(
        [item for item in out if isinstance(item, ArticleRow)],
        [item for item in out if isinstance(item, Reject)],
        [item for item in out if isinstance(item, Note)],
    )


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
