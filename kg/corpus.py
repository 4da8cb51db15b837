"""A corpus: the settings that it was made with, and its life in the graph."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from kg.errors import CorpusError, SettingsError, command
from kg.ids import content_hash, node_id
from kg.queries import query
from kg.store.graph import Graph, Row

MAX_NAME = 100


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """What a corpus remembers and won't mix: one embedder, one chunking, one extractor.

    `embedder` is the option that chose it ("builtin"), `vectors` what made the vectors, with its version.
    """

    embedder: str
    vectors: str
    dimensions: int
    chunking: str
    extractor: str


def check_name(name: str) -> str:
    """A corpus name that can be shown on one line; any other character is allowed.

    Raises:
        SettingsError: it is empty, too long or holds control characters.
    """
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise SettingsError(
            f"the corpus name {name!r} can't be used.",
            f"Give 1 to {MAX_NAME} printable characters, for example --corpus mine.",
        )
    return name


def open_corpus(graph: Graph, name: str, settings: CorpusSettings) -> CorpusSettings:
    """Make the corpus, or make sure that it was made with the same settings.

    Raises:
        CorpusError: it was made with another embedder, chunking or extractor.
    """
    known = read_settings(graph, name)
    if known is None:
        graph.rows(
            query("corpus/write_corpus"),
            id=corpus_id(name),
            corpus=check_name(name),
            settings=_as_map(settings),
        )
        return settings
    for key, wanted in _as_map(settings).items():
        found = getattr(known, key)
        if found != wanted:
            raise _mixing_error(name, key, found, wanted)
    return known


def read_settings(graph: Graph, name: str) -> CorpusSettings | None:
    """The settings that a corpus was made with; None where there is no such corpus.

    Raises:
        CorpusError: a drop of it was cut off.
    """
    kept = recall(graph, name)
    if not kept:
        return None
    if kept.get("dropping"):
        raise CorpusError(
            f"corpus {name!r} is half deleted: a drop was cut off.",
            f"End it: {command('corpus drop', name)}.",
        )
    return CorpusSettings(**{field.name: kept[field.name] for field in fields(CorpusSettings)})


def refuse_other_embedder(graph: Graph, name: str, embedder: str) -> None:
    """Refuse an embedder option that is not the corpus' own, before that embedder is loaded or asked.

    Raises:
        CorpusError: the corpus was made with another embedder.
    """
    known = read_settings(graph, name)
    if known is not None and known.embedder != embedder:
        raise _mixing_error(name, "embedder", known.embedder, embedder)


def require_own_vectors(graph: Graph, name: str, vectors: str) -> None:
    """Refuse to search a corpus with vectors of another embedder than made its own, given by its name.

    The option may name the same model and the vectors differ nevertheless: with other prefixes, or by another
    version of the built-in model.

    Raises:
        CorpusError: the corpus was made with vectors of another name.
    """
    known = read_settings(graph, name)
    if known is not None and known.vectors != vectors:
        raise _mixing_error(name, "vectors", known.vectors, vectors)


def require_corpus(graph: Graph, name: str, remedy: str = "") -> CorpusSettings:
    """The settings of a corpus that must exist; without a `remedy` the error proposes to make it.

    Raises:
        CorpusError: there is none of that name; the message lists those that there are.
    """
    settings = read_settings(graph, name)
    if settings is None:
        names = ", ".join(repr(row["name"]) for row in list_corpora(graph))
        raise CorpusError(
            f"there is no corpus {name!r} (found: {names or 'none yet'}).",
            remedy
            or f"{'Name one of these, or make it' if names else 'Make it'}: "
            f"{command('corpus ingest FILE --corpus', name)}, or try the bundled one: {command('demo')}.",
        )
    return settings


def list_corpora(graph: Graph) -> list[Row]:
    """Every corpus with its sizes, by name."""
    return graph.rows(query("corpus/list_corpora"))


def own_corpora(graph: Graph) -> list[str]:
    """The names of the corpora that somebody made, by name; of the settings of sweeps where nothing else is.

    Where there is one, commands need not be told which: a sweep makes corpora of its own beside it.
    """
    found = graph.rows(query("corpus/list_own")) or list_corpora(graph)
    return [str(row["name"]) for row in found]


def has_nodes(graph: Graph, name: str) -> bool:
    """Whether anything has the name, be there a corpus of it or not."""
    return bool(graph.rows(query("corpus/has_nodes"), corpus=name)[0]["found"])


def read_properties(graph: Graph, id_: str) -> Row:
    """A corpus or a run as it is recorded; empty where there is none of this id."""
    found = graph.rows(query("corpus/read_properties"), id=id_)
    return dict(found[0]["properties"]) if found else {}


def write_properties(graph: Graph, id_: str, properties: Mapping[str, object]) -> None:
    """Write onto a node what is named, anew; None takes a property away, and others stay."""
    graph.rows(query("corpus/write_properties"), rows=[{"id": id_, "properties": properties}])


def recall(graph: Graph, name: str) -> Row:
    """The settings and marks of a corpus, by name; empty where there is no such corpus."""
    return read_properties(graph, corpus_id(name))


def remember(graph: Graph, name: str, settings: Mapping[str, object]) -> None:
    """Write settings and marks of a corpus onto its node, those of the same names anew; None forgets one."""
    write_properties(graph, corpus_id(name), settings)


def drop_corpus(graph: Graph, name: str) -> None:
    """Delete a corpus in bounded batches; a drop that was cut off must be ended before the corpus is used."""
    # Nobody is to take what is left of it for the whole.
    remember(graph, name, {"dropping": True})
    graph.rows(query("corpus/delete_nodes"), corpus=name)
    graph.rows(query("corpus/delete_corpus"), corpus=name)


def article_fingerprint(graph: Graph, name: str) -> tuple[int, str]:
    """How many articles a corpus holds, and a hash of which ones."""
    ids = [row["id"] for row in graph.rows(query("articles/list_articles"), corpus=name)]
    return len(ids), content_hash(ids)


def count_rejects(graph: Graph, name: str, kind: str) -> int:
    """How many remarks of one kind a corpus has, such as rows that were "set aside"."""
    rows = graph.rows(query("articles/count_rejects"), corpus=name)
    return sum(row["count"] for row in rows if row["kind"] == kind)


def fingerprint(graph: Graph, name: str) -> str:
    """A hash of everything that a corpus holds, but for when it was made and how long that took.

    Two graphs made from the same input with the same settings have the same fingerprint, however often
    the making was interrupted.
    """
    lines = []
    for row in graph.stream(query("corpus/read_all_nodes"), corpus=name):
        lines.append(content_hash((*sorted(row["labels"]), *_flat(row["properties"])), 32))
    for row in graph.stream(query("corpus/read_all_edges"), corpus=name):
        lines.append(content_hash((row["start"], row["type"], row["end"], *_flat(row["properties"])), 32))
    return content_hash(sorted(lines), 32)


def _mixing_error(name: str, key: str, found: object, wanted: object) -> CorpusError:
    return CorpusError(
        f"corpus {name!r} was made with {key} {found!r}, not {wanted!r}; they don't mix.",
        f"Use --corpus with another name, or remove it first: {command('corpus drop', name)}.",
    )


def corpus_id(name: str) -> str:
    """The id of a corpus' own node."""
    return node_id(name, "corpus")


def _as_map(settings: CorpusSettings) -> dict[str, str | int]:
    return {field.name: getattr(settings, field.name) for field in fields(settings)}


def _flat(properties: Row) -> Iterator[str]:
    for key in sorted(properties):
        if properties[key] is not None:
            yield f"{key}={properties[key]!r}"
