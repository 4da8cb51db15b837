"""The same questions under other embedders, chunk sizes and numbers of passages, retrieved and answered anew.

GRADE's appendices A.7 and A.8 rebuild the graph's chunks and vectors and ask again. Here every setting is a
corpus of its own beside the one that the questions were made from: the same articles cut and embedded as the
setting says, read again by the same extractor, with the same questions, whose evidence is looked up in the
new chunks. `services.questions.rating` only moves old verdicts into new quartiles, which costs nothing and
says nothing of what a system would have found.

Two effects are kept apart. Let p be the share of questions all of whose evidence was retrieved, f the share
of errors among those and m among the others; the error rate is p f + (1 - p) m. The difference of two
settings is split as Kitagawa (1955) does: what the change of p accounts for at the mean of both pairs of f
and m is retrieval's, the rest reasoning's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product

from kg.corpus import article_fingerprint, recall, remember, require_corpus
from kg.embed.choose import Embedder, embedder_of
from kg.errors import CorpusError, command
from kg.ids import node_id, run_id
from kg.ledger import read_stage, record_stage, stage_key
from kg.llm.budget import Budget
from kg.llm.protocol import Estimate
from kg.llm.roles import open_model
from kg.progress import Progress
from kg.queries import query
from kg.resolve.model_links import expected_links
from kg.settings import Settings
from kg.stages.articles import article_id, chunk_id
from kg.stages.build import build_graph
from kg.stages.extraction import count_sentences
from kg.stages.resolution import LinksOption
from kg.store.graph import Graph, Row, batches
from kg.store.leases import writing_to
from kg.text.chunks import ChunkSize, chunk, parse_chunk_size
from services.evaluate.matrix import AnswerVerdict, Matrix, difficulty_matrix
from services.evaluate.run_analysis import GivenAnswer, read_answers
from services.evaluate.write_back import read_verdicts, tell_cutoff
from services.pipeline import make_tools, open_for_job
from services.questions.choice import read_question_choice
from services.questions.dataset import renew_version
from services.questions.rating import (
    Rated,
    RatedQuestion,
    StatedAt,
    holding,
    rate,
    read_asked,
    read_stated_at,
)
from services.rag.run_options import RunOptions, check_limits
from services.report.content import Rate
from services.report.run_facts import rate_of
from services.runs.estimate import RunEstimate, estimate_run
from services.runs.start import RunQuestion, limit_questions, plan_run, start_run
from services.settled_options import GivenOptions, settle_options
from services.statistics.paired import PairedComparison, compare_paired

ROWS_A_BATCH = 100
SWEEP = "sweep-1"
"""Version of how such a corpus is made; a change makes its questions be written anew."""


@dataclass(frozen=True, slots=True)
class Setting:
    """An embedder, as `kg.embed.choose.CHOICES` name it, and a chunk size."""

    embedder: str
    size: ChunkSize

    def corpus(self, of: str) -> str:
        """The name of the corpus that has the questions of another under this setting."""
        return f"{of} ({self.size}, {self.embedder})"


@dataclass(frozen=True, slots=True)
class SweepRow:
    """What came of one setting and number of passages at one depth; `hops` None stands for all depths.

    `found` is the share of questions all of whose evidence was retrieved, `error` that of wrong answers,
    `error_found` and `error_missed` the same among those with and without all evidence. `change` compares
    errors with the first setting's question by question; `by_retrieval` and `by_reasoning` add up to it, None
    where there is no question. Over all depths there is the setting's difficulty `matrix` too, by its own
    distances (GRADE, tables 11 to 16).
    """

    embedder: str
    chunking: str
    top: int
    hops: int | None
    error: Rate
    found: Rate
    error_found: Rate
    error_missed: Rate
    change: PairedComparison | None = None
    by_retrieval: float | None = None
    by_reasoning: float | None = None
    matrix: Matrix | None = None


def plan_settings(
    graph: Graph, corpus: str, embedders: Sequence[str], sizes: Sequence[str]
) -> tuple[Setting, ...]:
    """Every pair of an embedder and a chunk size, the corpus' own pair first where it is among them.

    No embedder or no size stands for the corpus' own.

    Raises:
        SettingsError: a size is none.
        CorpusError: there is no such corpus.
    """
    own = require_corpus(graph, corpus)
    given = [
        Setting(embedder, parse_chunk_size(size))
        for embedder, size in product(embedders or [own.embedder], sizes or [own.chunking])
    ]
    first = Setting(own.embedder, parse_chunk_size(own.chunking))
    return tuple(dict.fromkeys(sorted(given, key=lambda one: one != first)))


def pending_links(graph: Graph, corpus: str, chosen: Sequence[Setting]) -> LinksOption:
    """Who finds links in settings that are not built yet; the rules where none is left."""
    links = settle_options(graph, corpus, GivenOptions())[0].links
    return links if _unbuilt(graph, corpus, chosen) else "rules"


def sweep_costs(
    graph: Graph,
    corpus: str,
    chosen: Sequence[Setting],
    tops: Sequence[int],
    run: RunOptions,
    settings: Settings,
) -> dict[str, Estimate | RunEstimate]:
    """What links take in a setting that is not built yet, and answers in each; longer chunks take more.

    What a model reads out of the articles is there from before.

    Raises:
        SettingsError: no model is set for a role, or there is a budget in money and it has no price.
    """
    costs: dict[str, Estimate | RunEstimate] = {}
    if pending_links(graph, corpus, chosen) == "model":
        with open_model("extract", settings) as model:
            usual = expected_links(model, count_sentences(graph, corpus))
        costs[f"links{_in_each(_unbuilt(graph, corpus, chosen))}"] = usual
    if run.generator != "model":
        return costs
    embedder = embedder_of(graph, corpus, settings)
    asked = frozenset(one.id for one in read_asked(graph, corpus))
    for top in tops:
        one = replace(run, top=top, name="sweep", covers=asked)
        plan = plan_run(graph, corpus, one, settings, embedder)
        costs[f"answers from {top} chunks{_in_each(len(chosen))}"] = estimate_run(
            graph, corpus, one, plan, settings, embedder
        )
    return costs


def _in_each(settings: int) -> str:
    return f" in each of {settings} settings" if settings > 1 else ""


def _unbuilt(graph: Graph, corpus: str, chosen: Sequence[Setting]) -> int:
    """Of how many settings the entities are still to be resolved."""
    lines = [read_stage(graph, one.corpus(corpus), "resolution") for one in chosen]
    return sum(line is None or line["state"] != "done" for line in lines)


def sweep(
    graph: Graph,
    corpus: str,
    chosen: Sequence[Setting],
    tops: Sequence[int],
    run: RunOptions,
    settings: Settings,
    progress: Progress,
    budget: Budget | None = None,
) -> list[SweepRow]:
    """Answer the kept chain questions of a corpus under every setting and number of chunks; what came of it.

    With a limit on questions, all settings are asked the same ones, drawn evenly over depths and quartiles.
    What an earlier, interrupted call did is not done again. What models answer is paid from `budget`, each
    run's from one of its own where it is None.

    Raises:
        NothingToDoError: the corpus has no kept chain question.
        CorpusError: a corpus that is none of a sweep has the name of a setting's.
        SettingsError: a limit of the runs can't work, or their reranker.
    """
    for top in tops:
        check_limits(replace(run, top=top))
    if run.generator == "model":
        tell_cutoff(graph, corpus, settings.hopgrade_model_cutoff, progress)
    answers: dict[tuple[Setting, int], dict[str, GivenAnswer]] = {}
    judged: dict[tuple[Setting, int], dict[str, AnswerVerdict]] = {}
    asked = read_asked(graph, corpus)
    chains = (RunQuestion(one.id, "chain", one.own.hops, one.own.bin, answered=False) for one in asked)
    wanted = [one.id for one in limit_questions(chains, run.question_limit)]
    for setting in chosen:
        name = setting.corpus(corpus)
        _refuse_other(graph, corpus, name)
        with writing_to(graph, name) as writing:
            embedder = _make_corpus(writing, corpus, asked, setting, settings, progress)
            given = {
                row["id"]: row["given_id"]
                for row in graph.rows(query("questions/list_of_status"), corpus=name, status="kept")
            }
            for top in tops:
                options = replace(
                    run,
                    top=top,
                    name=f"{run.name or run.system}-{top}",
                    question_limit=None,
                    covers=frozenset(_copy_id(name, one) for one in wanted),
                )
                started = start_run(writing, name, options, settings, embedder, progress, budget)
                found = read_answers(graph, run_id(name, started))
                answers[setting, top] = {given[one.question]: one for one in found}
                judged[setting, top] = {
                    given[one.question_id]: one for one in read_verdicts(graph, name, started)
                }
    return list(_rows(answers, judged))


def _refuse_other(graph: Graph, corpus: str, name: str) -> None:
    kept = recall(graph, name)
    if kept and kept.get("sweep_of") != corpus:
        raise CorpusError(
            f"corpus {name!r} is there, and no part of a sweep.", f"Remove it: {command('corpus drop', name)}"
        )


def _make_corpus(
    graph: Graph,
    corpus: str,
    asked: Sequence[RatedQuestion],
    setting: Setting,
    settings: Settings,
    progress: Progress,
) -> Embedder:
    """Make, or bring up to date, the corpus of a setting; its embedder."""
    name = setting.corpus(corpus)
    chosen, job = settle_options(graph, corpus, GivenOptions())
    job = replace(job, build=replace(job.build, chunk_size=setting.size))
    tools = make_tools(setting.embedder, settings, chosen.extractor, chosen.links)
    open_for_job(graph, name, job, tools)
    remember(graph, name, {"sweep_of": corpus})
    progress.begin(f"sweep {setting.size}, {setting.embedder}")
    articles = _copy_articles(graph, corpus, name)
    progress.end(f"{len(articles):,} articles")
    build_graph(graph, name, job.build, tools, progress, until="resolution")
    _write_questions(graph, corpus, asked, setting, articles, tools.embedder, progress)
    return tools.embedder


def _copy_articles(graph: Graph, corpus: str, name: str) -> dict[str, str]:
    """Copy the articles of a corpus; the id of each copy by that of its article."""
    ids = [row["id"] for row in graph.stream(query("articles/list_articles"), corpus=corpus)]
    known = {row["id"] for row in graph.stream(query("articles/list_articles"), corpus=name)}
    copies: dict[str, str] = {}
    for some in batches(ids, ROWS_A_BATCH):
        rows = []
        for row in graph.rows(query("articles/read_exported"), ids=some):
            article, published = row["article"], row["published"]
            copies[article["id"]] = article_id(name, article["sha256"], known)
            day = datetime.fromisoformat(published) if published else None
            rows.append(article | {"id": copies[article["id"]], "published_at": day})
        graph.write_rows(query("articles/write_articles"), rows, corpus=name)
    total, fingerprint = article_fingerprint(graph, name)
    record_stage(graph, name, "articles", fingerprint, {"articles": total, "duplicates": 0, "set_aside": 0})
    return copies


def _write_questions(
    graph: Graph,
    corpus: str,
    asked: Sequence[RatedQuestion],
    setting: Setting,
    articles: Mapping[str, str],
    embedder: Embedder,
    progress: Progress,
) -> None:
    name = setting.corpus(corpus)
    bins = read_question_choice(graph, corpus).bins
    key = stage_key(
        SWEEP, sorted((one.id, one.text) for one in asked), embedder.name, str(setting.size), bins
    )
    line = read_stage(graph, name, "questions")
    if line is not None and line["state"] == "done" and line["key"] == key:
        return
    progress.begin("questions")
    graph.rows(query("questions/delete_questions"), corpus=name)
    rating = rate(graph, asked, embedder, setting.size, bins, progress)
    chunks = _stating_chunks(graph, name, read_stated_at(graph, [one.id for one in asked]), articles, setting)
    for some in batches(rating.rated, ROWS_A_BATCH):
        by_id = {
            row["id"]: row
            for row in graph.rows(query("questions/read_queries"), ids=[r.question for r in some])
        }
        vectors = embedder.embed([by_id[one.question]["text"] for one in some])
        rows = [
            _question_row(name, by_id[one.question], one, chunks[one.question], vector)
            for one, vector in zip(some, vectors, strict=True)
        ]
        graph.write_rows(query("questions/write_imported"), rows, corpus=name)
    renew_version(graph, name)
    counts: dict[str, int | float | str] = {"kept": len(rating.rated), "left_out": rating.left_out}
    record_stage(graph, name, "questions", key, counts)
    left = f", {rating.left_out:,} whose evidence is not to be found left out" if rating.left_out else ""
    progress.end(f"{len(rating.rated):,} questions{left}")


def _stating_chunks(
    graph: Graph,
    name: str,
    stated: Mapping[str, Sequence[StatedAt]],
    articles: Mapping[str, str],
    setting: Setting,
) -> dict[str, set[tuple[int, str]]]:
    """For each question (hop, id of a chunk of the new corpus that states its fact)."""
    found: dict[str, set[tuple[int, str]]] = {}
    for some in batches(sorted(stated), ROWS_A_BATCH):
        for row in graph.rows(query("articles/read_bodies"), ids=some):
            pieces = chunk(row["body"], setting.size)
            for one in stated[row["id"]]:
                for position in holding(pieces, one.place):
                    place = one.hop, chunk_id(name, articles[row["id"]], position)
                    found.setdefault(one.question, set()).add(place)
    return found


def _copy_id(name: str, question: str) -> str:
    return node_id(name, "question", question)


def _question_row(
    name: str, question: Row, rated: Rated, chunks: set[tuple[int, str]], vector: object
) -> Row:
    told = {
        column: question[column] for column in ("text", "answer", "accepted", "kind", "query_type", "hops")
    }
    return {
        "id": _copy_id(name, question["id"]),
        "question": told
        | {
            "given_id": question["id"],
            "status": "kept",
            "bin": rated.bin,
            "difficulty_min": rated.min,
            "difficulty_mean": rated.mean,
            "difficulty_power": rated.power,
        },
        "vector": vector,
        "gold": [{"hop": hop, "chunk": one, "similarity": None} for hop, one in sorted(chunks)],
        "prefixes": [],
        "hop_questions": [],
    }


def _rows(
    answers: Mapping[tuple[Setting, int], Mapping[str, GivenAnswer]],
    judged: Mapping[tuple[Setting, int], Mapping[str, AnswerVerdict]],
) -> Iterator[SweepRow]:
    """A row for each setting, number of passages and depth, over the questions that all of them answered."""
    common = sorted(set.intersection(*(set(found) for found in answers.values())))
    first = next(iter(answers.values()))
    depths: list[int | None] = [*sorted({first[one].hops for one in common}), None]
    for (setting, top), found in answers.items():
        for depth in depths:
            some = [one for one in common if depth in (None, first[one].hops)]
            row = _row(setting, top, depth, [found[one] for one in some])
            base = _row(setting, top, depth, [first[one] for one in some])
            compared = _compare(base, row, [first[one] for one in some], [found[one] for one in some])
            placed = judged[setting, top]
            matrix = difficulty_matrix([placed[one] for one in some if one in placed])
            yield compared if depth is not None else replace(compared, matrix=matrix)


def _row(setting: Setting, top: int, hops: int | None, answers: Sequence[GivenAnswer]) -> SweepRow:
    whole = [one for one in answers if _has_all_hops(one)]
    missed = [one for one in answers if not _has_all_hops(one)]
    return SweepRow(
        setting.embedder,
        str(setting.size),
        top,
        hops,
        _rate("wrong", [not one.right for one in answers], answers),
        _rate("all found", [_has_all_hops(one) for one in answers], answers),
        _rate("wrong if found", [not one.right for one in whole], whole),
        _rate("wrong if not", [not one.right for one in missed], missed),
    )


def _has_all_hops(answer: GivenAnswer) -> bool:
    return bool(answer.hops_found) and all(answer.hops_found)


def _rate(name: str, hits: Sequence[bool], answers: Sequence[GivenAnswer]) -> Rate:
    return rate_of(name, hits, [one.cluster for one in answers])


def _compare(
    base: SweepRow, row: SweepRow, first: Sequence[GivenAnswer], second: Sequence[GivenAnswer]
) -> SweepRow:
    change = compare_paired(
        [float(not one.right) for one in first],
        [float(not one.right) for one in second],
        [one.cluster for one in first],
    )
    parts = split_change(base, row)
    return replace(row, change=change, by_retrieval=parts and parts[0], by_reasoning=parts and parts[1])


def split_change(base: SweepRow, row: SweepRow) -> tuple[float, float] | None:
    """The change of the error rate that goes with what was found, and the rest (Kitagawa 1955, table 2).

    GRADE's appendices A.7 and A.8 tell the rates alone. With p, f and m of the module's docstring, before
    and after: retrieval's part is (p' - p) times the mean of (f - m) and (f' - m'); the rest is (f' - f)
    times the mean of p and p' plus (m' - m) times that of 1 - p and 1 - p'. A rate among no questions takes
    the other setting's, so that it changes nothing. None without any question.
    """
    p, q = base.found.rate, row.found.rate
    f, g = base.error_found.rate, row.error_found.rate
    m, n = base.error_missed.rate, row.error_missed.rate
    f, g = (g if f is None else f), (f if g is None else g)
    m, n = (n if m is None else m), (m if n is None else n)
    if p is None or q is None:
        return None
    f, g = (0.0, 0.0) if f is None or g is None else (f, g)
    m, n = (0.0, 0.0) if m is None or n is None else (m, n)
    by_retrieval = (q - p) * ((f - m) + (g - n)) / 2
    return by_retrieval, (g - f) * (p + q) / 2 + (n - m) * (2 - p - q) / 2
