"""How much of an extraction gold is found, and how much of what is found is right.

Pairs of entities count, without direction; predicates don't, since each gold has its own. Names match as in
`services.evaluate.gold_formats`.

What an extractor reads in annotated documents, or what the graph already holds of them.

How well facts are told from opinions, on sentences that somebody labelled.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast, get_args

from kg.errors import InputError, NothingToDoError
from kg.extract.protocol import ExtractionInput, Extractor
from kg.model import Claim, Extraction, Triple
from kg.queries import query
from kg.store.graph import Graph, Row
from kg.text.opinion import FACTUAL_FROM, factual_probability
from kg.text.sentences import sentence_spans
from services.evaluate.gold_formats import (
    Gold,
    GoldDocument,
    matching_form,
    pair_of,
    read_gold_text,
    same_name,
)
from services.statistics.clustered_means import cluster_interval
from services.statistics.intervals import wilson


@dataclass(frozen=True, slots=True)
class FoundTriple:
    """A triple that an extractor found; `kept` says that it is good enough for paths."""

    subject: str
    object: str
    rule: str
    kept: bool


@dataclass(frozen=True, slots=True)
class FoundInDocument:
    """What an extractor found in one document; `names` are the names it saw there, whole and as written."""

    triples: tuple[FoundTriple, ...]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `n`; the 95 % interval allows for the items of a document hanging together.

    It is Wilson's where all come from one document, and there is none where n is 0.
    """

    hits: int
    n: int
    low: float | None
    high: float | None

    @property
    def value(self) -> float | None:
        """The share, None where n is 0."""
        return self.hits / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class ExtractionScore:
    """The measures of one evaluation; None for what this gold can't tell.

    `pairs` are related pairs that were found, `pairs_kept` those found by triples kept for paths,
    `near_pairs` those whose ends share a sentence; `right` are triples between annotated entities that are
    related. `by_rule` is right and linked triples by rule.
    """

    documents: int
    triples: int
    triples_kept: int
    pairs: Share
    pairs_kept: Share
    near_pairs: Share | None = None
    right: Share | None = None
    right_kept: Share | None = None
    names_exact: Share | None = None
    names_fuzzy: Share | None = None
    by_rule: dict[str, tuple[int, int]] = field(default_factory=dict)


def score_extraction(
    gold: Gold, documents: Sequence[GoldDocument], found: Iterable[FoundInDocument]
) -> ExtractionScore:
    """Compare what was found in `documents`, in their order, with what `gold` says of them."""
    tally = _Tally()
    count = 0
    for document, one in zip(documents, found, strict=True):
        count += 1
        tally.add(document, one)
    by_rule = {rule: (n[True], n.total()) for rule, n in sorted(tally.by_rule.items())}
    return ExtractionScore(
        documents=count,
        triples=tally.triples,
        triples_kept=tally.kept,
        pairs=tally.share("pairs"),
        pairs_kept=tally.share("pairs kept"),
        near_pairs=tally.share("near pairs") if gold.complete else None,
        right=tally.share("right") if gold.complete else None,
        right_kept=tally.share("right kept") if gold.complete else None,
        names_exact=tally.share("names exact") if gold.named else None,
        names_fuzzy=tally.share("names fuzzy") if gold.named else None,
        by_rule=by_rule if gold.complete else {},
    )


@dataclass(slots=True)
class _Tally:
    """Verdicts by measure, each with the document that it comes from."""

    verdicts: dict[str, list[tuple[bool, str]]] = field(default_factory=lambda: defaultdict(list))
    by_rule: dict[str, Counter[bool]] = field(default_factory=lambda: defaultdict(Counter))
    triples: int = 0
    kept: int = 0

    def add(self, document: GoldDocument, found: FoundInDocument) -> None:
        got: set[tuple[int, int]] = set()
        got_kept: set[tuple[int, int]] = set()
        for triple in found.triples:
            self.triples += 1
            self.kept += triple.kept
            pairs = _pairs(document, triple)
            got |= pairs
            if triple.kept:
                got_kept |= pairs
            if pairs:
                right = not pairs.isdisjoint(document.pairs)
                self._judge("right", right, document)
                self.by_rule[triple.rule][right] += 1
                if triple.kept:
                    self._judge("right kept", right, document)
        for pair in document.pairs:
            self._judge("pairs", pair in got, document)
            self._judge("pairs kept", pair in got_kept, document)
            left, right_end = (document.entities[end].sentences for end in pair)
            if not left.isdisjoint(right_end):
                self._judge("near pairs", pair in got, document)
        self._add_names(document, found)

    def _add_names(self, document: GoldDocument, found: FoundInDocument) -> None:
        names = {matching_form(name) for name in found.names}
        for entity in document.entities:
            if entity.named and entity.names:
                fuzzy = any(same_name(name, other) for name in names for other in entity.names)
                self._judge("names exact", not names.isdisjoint(entity.names), document)
                self._judge("names fuzzy", fuzzy, document)

    def _judge(self, measure: str, verdict: bool, document: GoldDocument) -> None:
        self.verdicts[measure].append((verdict, document.id))

    def share(self, measure: str) -> Share:
        return share_of(self.verdicts[measure])


def share_of(verdicts: Sequence[tuple[bool, str]]) -> Share:
    """The share of true verdicts, each given with the document that it comes from."""
    hits = sum(verdict for verdict, _ in verdicts)
    interval = cluster_interval([verdict for verdict, _ in verdicts], [key for _, key in verdicts]) or wilson(
        hits, len(verdicts)
    )
    low, high = (interval.low, interval.high) if interval is not None else (None, None)
    return Share(hits, len(verdicts), low, high)


def _pairs(document: GoldDocument, triple: FoundTriple) -> set[tuple[int, int]]:
    """The pairs of annotated entities that a triple's ends can be."""
    left, right = _entities(document, triple.subject), _entities(document, triple.object)
    return {pair_of(one, other) for one in left for other in right if one != other}


def _entities(document: GoldDocument, name: str) -> list[int]:
    plain = matching_form(name)
    return [
        number
        for number, entity in enumerate(document.entities)
        if any(same_name(plain, other) for other in entity.names)
    ]


def read_documents(extractor: Extractor, documents: Iterable[GoldDocument]) -> Iterator[FoundInDocument]:
    """What the extractor finds in each document, in order."""
    for extraction in extractor.extract(map(_input, documents)):
        yield found_in(extraction)


def found_in(extraction: Extraction) -> FoundInDocument:
    """An extraction as it is scored."""
    triples = ((claim, triple) for claim in extraction.claims for triple in claim.triples)
    names = {name for mention in extraction.mentions for name in (mention.name, mention.surface)}
    return FoundInDocument(
        tuple(FoundTriple(one.subject, one.object, one.rule, _is_kept(claim, one)) for claim, one in triples),
        frozenset(names),
    )


def _is_kept(claim: Claim, triple: Triple) -> bool:
    plain = not (triple.negated or triple.attributed_to)
    return plain and not claim.doubt and claim.factual >= FACTUAL_FROM


def _input(document: GoldDocument) -> ExtractionInput:
    return ExtractionInput(
        document.text, document.title, document.published_at, sentence_spans(document.text)
    )


def match_documents(
    graph: Graph, corpus: str, documents: Sequence[GoldDocument]
) -> tuple[list[GoldDocument], list[FoundInDocument], str]:
    """The documents that a corpus holds, what was found in each, and by which extractor.

    A document is known by its id, or else by its title.

    Raises:
        NothingToDoError: the corpus holds none of them.
    """
    rows = graph.rows(
        query("claims/read_extracted"),
        corpus=corpus,
        ids=[document.id for document in documents],
        titles=[document.title for document in documents],
        factual_from=FACTUAL_FROM,
    )
    by_id = {row["given_id"]: row for row in rows if row["given_id"]}
    by_title = {row["title"]: row for row in rows if row["title"]}
    held: list[GoldDocument] = []
    found: list[FoundInDocument] = []
    extractors: set[str] = set()
    for document in documents:
        row = by_id.get(document.id) or by_title.get(document.title)
        if row is not None:
            held.append(document)
            found.append(_found_row(row))
            extractors |= set(row["extractors"])
    if not held:
        raise NothingToDoError(
            f"corpus {corpus!r} holds none of the {len(documents)} annotated documents.",
            "Ingest and build them first, or leave --corpus out to read them now.",
        )
    return held, found, ", ".join(sorted(extractors))


def _found_row(row: Row) -> FoundInDocument:
    triples = (
        FoundTriple(one["subject"], one["object"], one["rule"] or "", one["kept"]) for one in row["triples"]
    )
    return FoundInDocument(tuple(triples), frozenset(row["names"]))


Label = Literal["fact", "opinion"]
LABELS: tuple[Label, ...] = get_args(Label)

_REMEDY = 'A line reads {"article": ..., "sentence": ..., "label": "fact" or "opinion"}.'


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence with its label; `half` says whether the rules were written in its light."""

    article: str
    sentence: str
    label: Label
    half: str


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Of what was called so, how much is; of what is so, how much was called it."""

    precision: Share
    recall: Share


@dataclass(frozen=True, slots=True)
class OpinionScore:
    """How well the labels were told; `baseline` is the accuracy of always giving the commoner label."""

    sentences: int
    accuracy: Share
    baseline: Share
    fact: ClassScore
    opinion: ClassScore


def read_labelled(path: Path) -> list[LabelledSentence]:
    """The labelled sentences of a JSONL file; its "half" is optional.

    Raises:
        InputError: the file can't be read, is empty, or a line is not of that form.
    """
    lines = read_gold_text(path, _REMEDY).split("\n")
    found = [
        _parse_labelled(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()
    ]
    if not found:
        raise InputError(f"{path} has no labelled sentence.", _REMEDY)
    return found


def _parse_labelled(path: Path, number: int, line: str) -> LabelledSentence:
    try:
        row = json.loads(line)
        label, sentence = row["label"], row["sentence"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}:{number} is no labelled sentence.", _REMEDY) from error
    if label not in LABELS or not isinstance(sentence, str):
        raise InputError(f"{path}:{number} has the label {label!r}.", _REMEDY)
    article, half = str(row.get("article", number)), str(row.get("half", ""))
    return LabelledSentence(article, sentence, cast(Label, label), half)


def score_opinions(rows: Sequence[LabelledSentence]) -> OpinionScore:
    """Compare the labels of one or more sentences with those of `kg.text.opinion`."""
    told = ["fact" if factual_probability(row.sentence) >= FACTUAL_FROM else "opinion" for row in rows]
    commoner = Counter(row.label for row in rows).most_common(1)[0][0]

    def score(label: Label) -> ClassScore:
        pairs = list(zip(rows, told, strict=True))
        return ClassScore(
            precision=share_of([(row.label == label, row.article) for row, one in pairs if one == label]),
            recall=share_of([(one == label, row.article) for row, one in pairs if row.label == label]),
        )

    return OpinionScore(
        sentences=len(rows),
        accuracy=share_of([(row.label == one, row.article) for row, one in zip(rows, told, strict=True)]),
        baseline=share_of([(row.label == commoner, row.article) for row in rows]),
        fact=score("fact"),
        opinion=score("opinion"),
    )
