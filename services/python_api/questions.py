"""Questions of a corpus as plain values, and the path behind one as a networkx graph.

What Python asks of a corpus, with the care that the command takes: a run's questions, or one alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from kg.embed.choose import embedder_of
from kg.errors import NothingToDoError, SettingsError, UserError, command
from kg.llm.budget import Budget
from kg.llm.roles import role_budget
from kg.progress import Progress
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph, Row
from kg.store.leases import answering_in
from services.preflight.asking import prepare_run
from services.python_api.plots import require_extra
from services.questions.draft import QuestionKind, QuestionStatus
from services.rag.ask import AskResult, open_asker
from services.rag.graph_search.cache import SnapshotCache
from services.rag.run_options import RunOptions, check_limits, parse_system
from services.runs.records import read_loss
from services.runs.start import plan_run, start_run

if TYPE_CHECKING:
    import networkx as nx

QUESTIONS_A_BATCH = 500
_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """A chunk that states the fact of a hop, counted from 1, in the article of this title.

    `similarity` is the cosine of chunk and question, None for questions without difficulty.
    """

    hop: int
    chunk: str
    title: str
    text: str
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer and evidence.

    `bin` is the quartile of its retrieval distance, 1 (near) to 4 (far), `difficulty` that distance, both
    None where it has none. `path` is the id of the hop path behind it, empty without one. `rejected_by` names
    the check that a rejected question failed.
    """

    id: str
    text: str
    answer: str
    accepted: tuple[str, ...]
    kind: str
    query_type: str
    hops: int
    bin: int | None
    difficulty: float | None
    status: str
    rejected_by: str
    rejected_why: str
    path: str
    evidence: tuple[Evidence, ...]


def check_choice(kinds: Sequence[str], status: str) -> None:
    """Make sure that a question can have one of these kinds, and this status.

    Raises:
        SettingsError: none can.
    """
    for given, choices, what in (
        (kinds, get_args(QuestionKind), "kind"),
        ((status,), get_args(QuestionStatus), "status"),
    ):
        if unknown := [one for one in given if one not in choices]:
            raise SettingsError(f"{unknown[0]!r} is no {what} of questions.", f"Use {', '.join(choices)}.")


def iterate_questions(
    graph: Graph, corpus: str, hops: Sequence[int], kinds: Sequence[str], status: str, limit: int | None
) -> Iterator[Question]:
    """The questions of a corpus, chains first, by depth, kind and difficulty; an empty list means any."""
    listed = graph.rows(
        query("questions/list_questions"),
        corpus=corpus,
        hops=list(hops),
        kinds=list(kinds),
        status=status,
        rejected_by="",
        limit=_ALL if limit is None else limit,
    )
    ids = [row["id"] for row in listed]
    for row in graph.read_in_batches(query("questions/read_with_evidence"), ids, QUESTIONS_A_BATCH):
        yield _question(row)


def read_question(graph: Graph, id_: str) -> Question:
    """One question.

    Raises:
        NothingToDoError: there is none of this id.
    """
    for row in graph.rows(query("questions/read_with_evidence"), ids=[id_]):
        return _question(row)
    raise NothingToDoError(f"there is no question {id_!r}.", f"See them: {command('questions list')}")


def _question(row: Row) -> Question:
    kept = row["question"]
    return Question(
        id=kept["id"],
        text=kept["text"],
        answer=kept["answer"],
        accepted=tuple(kept["accepted"] or ()),
        kind=kept["kind"],
        query_type=kept["query_type"] or "",
        hops=kept["hops"],
        bin=kept["bin"],
        difficulty=kept["difficulty_min"],
        status=kept["status"],
        rejected_by=kept["rejected_by"] or "",
        rejected_why=kept["rejected_why"] or "",
        path=row["path"] or "",
        evidence=tuple(Evidence(**one) for one in row["evidence"]),
    )


_OF_AN_EDGE = (
    "link", "predicate", "subject", "object", "attributed_to", "claim", "sentence", "article", "title",
    "source",
)  # fmt: skip


def read_path_graph(graph: Graph, corpus: str, path: str) -> "nx.DiGraph[str]":
    """A path as a directed graph whose nodes are entity ids, in the path's order.

    A node has `name`, `type` and `index`, from 0. An edge goes the way of its fact, which `reversed` tells to
    be against the path's, and has `hop`, from 1, `link` (how it joins the hop before), the fact's `subject`,
    `predicate` and `object`, who is reported to have said so (`attributed_to`, empty where the article says
    it itself), and the `claim`, `sentence`, `article`, `title` and `source` that it rests on.

    Raises:
        NothingToDoError: the corpus has no such path.
        SettingsError: networkx is not installed.
    """
    require_extra("networkx", "notebook")
    import networkx as nx  # noqa: PLC0415

    rows = graph.rows(query("paths/read_path"), id=path)
    if not rows or rows[0]["path"]["corpus"] != corpus:
        raise NothingToDoError(
            f"corpus {corpus!r} has no path {path!r}.", f"See them: {command('graph paths list')}"
        )
    row = rows[0]
    stops = [entity["id"] for entity in row["entities"]]
    drawn: nx.DiGraph[str] = nx.DiGraph(id=path, corpus=corpus, hops=row["path"]["hops"])
    for index, entity in enumerate(row["entities"]):
        drawn.add_node(entity["id"], name=entity["name"], type=entity["type"], index=index)
    for hop in row["hops"]:
        ends = (stops[hop["index"] - 1], stops[hop["index"]])
        start, end = ends[::-1] if hop["reversed"] else ends
        drawn.add_edge(start, end, **_edge(hop))
    return drawn


def _edge(hop: Row) -> dict[str, object]:
    return {"hop": hop["index"], "reversed": hop["reversed"], **{key: hop[key] for key in _OF_AN_EDGE}}


def answer_questions(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    settings: Settings,
    progress: Progress,
    budget: Budget | None = None,
) -> str:
    """Let a system answer what it has not answered yet, and write the matrix; the name of the run.

    Raises:
        UserError: the run would be made anew, and verdicts stand on its answers; or see `start_run`.
    """
    embedder = embedder_of(graph, corpus, settings)
    name = plan_run(graph, corpus, options, settings, embedder).settings.name
    with answering_in(graph, corpus, name) as mine:
        plan = plan_run(mine, corpus, options, settings, embedder)
        if plan.anew and (loss := read_loss(mine, corpus, plan.settings)).verdicts:
            raise UserError(
                f"run {plan.settings.name!r} was made with other settings, and to make it anew would delete "
                f"{loss.answers:,} answers with {loss.verdicts:,} verdicts.",
                "Give this one another name.",
            )
        prepare_run(mine, corpus, options, plan, settings, embedder, progress, budget)
        return start_run(mine, corpus, options, settings, embedder, progress, budget, plan)


def plan_options(
    system: str,
    model: str | None,
    retriever: str,
    top: int = 10,
    limit: int | None = None,
    reranker: str | None = None,
    candidates: int | None = None,
) -> RunOptions:
    """What every way to let a system answer has in common; without a `model` the rules answer.

    Raises:
        SettingsError: there is no such system.
    """
    return RunOptions(
        system=parse_system(system),
        generator="rules" if model is None else "model",
        retriever=retriever,
        top=top,
        question_limit=limit,
        reranker=reranker,
        candidates=candidates,
    )


def ask_question(
    graph: Graph, corpus: str, question: str, options: RunOptions, settings: Settings
) -> AskResult:
    """One question to the system of some options; see `services.rag.ask.Asker.ask`.

    Raises:
        NothingToDoError: the corpus has no vectors yet.
        SettingsError: an option can't work, or no model is set.
        ModelError: the model can't go on.
    """
    check_limits(options)
    embedder = embedder_of(graph, corpus, settings)
    budget = role_budget("answer", settings) if options.generator == "model" else None
    snapshots = SnapshotCache(graph, corpus, settings.hopgrade_cache)
    with open_asker(graph, corpus, options, settings, embedder, budget, snapshots) as asker:
        return asker.ask(question)
