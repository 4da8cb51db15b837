"""What a corpus remembers of how its questions are made."""

from dataclasses import dataclass, field
from typing import Literal, TypeVar, get_args

from kg.corpus import corpus_id
from kg.errors import SettingsError
from kg.queries import query
from kg.store.graph import Graph
from services.questions.draft import COMPOSED_KINDS, QuestionKind
from services.questions.spans.facets import ClusterFacet, parse_facet

WorkerOption = Literal["rules", "model"]
"""`rules`: offline, without a key; `model`: a language model, of the role "generate" or "judge"."""
BinsOption = Literal["depth", "global"]
"""Whether quartiles of difficulty are cut within each depth, or once over all."""
KnownOption = Literal["reject", "keep"]
"""What becomes of questions whose answer the model that checks knows without the articles."""

KINDS: tuple[QuestionKind, ...] = tuple(kind for kind in get_args(QuestionKind) if kind not in COMPOSED_KINDS)
INFERENCE = "inference"
BRIDGES: tuple[QuestionKind, ...] = ("bridge entity", "bridge topic")
WORKERS: tuple[WorkerOption, ...] = get_args(WorkerOption)
BINS: tuple[BinsOption, ...] = get_args(BinsOption)
KNOWN: tuple[KnownOption, ...] = get_args(KnownOption)

Name = TypeVar("Name", bound=str)


@dataclass(frozen=True, slots=True)
class QuestionChoice:
    """How many questions of which kinds are wanted, who writes and who checks them, how bins are cut.

    `target` is how many kept chain questions a depth shall have at least, as far as its paths last;
    `per_kind` how many kept ones another kind has at most. The evidence of a kept one lies in at least
    `span_clusters` clusters of the facet `cluster_by`. Where `known` are kept, no model is asked whether it
    can answer from memory.
    """

    target: int = 200
    kinds: tuple[QuestionKind, ...] = KINDS
    per_kind: int = 100
    generator: WorkerOption = "rules"
    checks: WorkerOption = "rules"
    bins: BinsOption = "depth"
    # Out of the repr that a stage's key is made of: without a wish, questions are what they always were.
    span_clusters: int = field(default=1, repr=False)
    cluster_by: ClusterFacet = field(default="claims", repr=False)
    known: KnownOption = field(default="reject", repr=False)

    @property
    def wishes(self) -> tuple[int | str, ...]:
        """What is asked beyond the usual: of the clusters of the evidence, and of what a model knows."""
        spanning = (self.span_clusters, self.cluster_by) if self.span_clusters > 1 else ()
        return (*spanning, *(("known",) if self.known == "keep" else ()))

    @property
    def other_kinds(self) -> tuple[QuestionKind, ...]:
        """The kinds that follow no path."""
        return tuple(kind for kind in self.kinds if kind != "chain")


def read_question_choice(graph: Graph, corpus: str) -> QuestionChoice:
    """What was chosen for a corpus last; the defaults where nothing was."""
    found = graph.rows(query("corpus/read_corpus"), id=corpus_id(corpus))
    kept = found[0]["settings"] if found else {}
    usual = QuestionChoice()
    return QuestionChoice(
        target=int(kept.get("question_target") or usual.target),
        kinds=parse_kinds(",".join(kept.get("question_kinds") or usual.kinds)),
        per_kind=int(kept.get("questions_per_kind") or usual.per_kind),
        generator=parse_worker(kept.get("question_generator") or usual.generator),
        checks=parse_worker(kept.get("question_checks") or usual.checks),
        bins=parse_bins(kept.get("question_bins") or usual.bins),
        span_clusters=int(kept.get("question_span_clusters") or usual.span_clusters),
        cluster_by=parse_facet(kept.get("question_cluster_by") or usual.cluster_by),
        known=parse_known(kept.get("question_known") or usual.known),
    )


def write_question_choice(graph: Graph, corpus: str, choice: QuestionChoice) -> None:
    """Remember the choice for later; what is chosen already is not written again."""
    if choice == read_question_choice(graph, corpus):
        return
    kept = {
        "question_target": choice.target,
        "question_kinds": list(choice.kinds),
        "questions_per_kind": choice.per_kind,
        "question_generator": choice.generator,
        "question_checks": choice.checks,
        "question_bins": choice.bins,
        "question_span_clusters": choice.span_clusters,
        "question_cluster_by": choice.cluster_by,
        "question_known": choice.known,
    }
    graph.rows(query("questions/write_choice"), id=corpus_id(corpus), choice=kept)


def parse_kinds(text: str) -> tuple[QuestionKind, ...]:
    """Kinds of questions with commas, or "all"; in their usual order, each once.

    MultiHop-RAG's "inference" stands for the two kinds of bridges.

    Raises:
        SettingsError: one of them is no kind, or there is none.
    """
    if text.strip() == "all":
        return KINDS
    parts = [part.strip() for part in text.split(",") if part.strip()]
    named = set(BRIDGES) if INFERENCE in parts else set[QuestionKind]()
    named |= {_one_of(part, KINDS, "a kind of question") for part in parts if part != INFERENCE}
    if not named:
        raise SettingsError("no kind of question is named.", f"Use some of: {', '.join(KINDS)}, or all.")
    return tuple(kind for kind in KINDS if kind in named)


def parse_worker(text: str) -> WorkerOption:
    """Who writes or checks questions.

    Raises:
        SettingsError: it names neither rules nor a model.
    """
    return _one_of(text, WORKERS, "a way to make or check questions")


def parse_known(text: str) -> KnownOption:
    """What becomes of questions that a model answers from memory.

    Raises:
        SettingsError: it names neither reject nor keep.
    """
    return _one_of(text, KNOWN, "what to do with questions that a model knows")


def parse_bins(text: str) -> BinsOption:
    """How bins are cut.

    Raises:
        SettingsError: there is no such way.
    """
    return _one_of(text, BINS, "a way to cut bins")


def _one_of(text: str, names: tuple[Name, ...], what: str) -> Name:
    for name in names:
        if " ".join(text.replace("-", " ").split()) == name:
            return name
    raise SettingsError(f"{text.strip()!r} is not {what}.", f"Use one of: {', '.join(names)}.")
