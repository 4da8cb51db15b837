"""Seventh stage: questions from paths, more paths where too few questions are kept, then the other kinds.

The stage begins anew whenever it runs: what models answered comes from their cache, and the same paths give
the same questions, so a run that was cut off ends in the same graph as one that was not. Reviews wait
meanwhile, and count on the questions that come again.

Questions that are added to those of a corpus: from saved paths, and where a model gave nothing before.

What there is stays as it is, with its reviews and answers. New ones go into the bins that were cut when the
questions were made, and change the version of the dataset.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from kg.errors import ModelError, NothingToDoError, command
from kg.ledger import Counts, counts_of, read_stage, record_stage
from kg.paths.path_rows import way_id
from kg.paths.protocol import DEPTHS
from kg.queries import query
from kg.stages.path_finding import FIRST_LATER_ROUND, LaterDraws, Pool, forget_questions, write_round
from kg.store.graph import Graph, batches
from services.questions.checkable import read_unfit_edges
from services.questions.choice import QuestionJob, Rounds
from services.questions.dataset import freeze_dataset, place_added
from services.questions.draft import Draft, Made, QuestionKind
from services.questions.filters.choose import prefix_filters
from services.questions.filters.solver import NOT_CHECKED
from services.questions.funnel import Tally, funnel_counts, shortage, shortages, tally, too_short
from services.questions.generate import PATHS_A_BATCH, WRITTEN
from services.questions.kinds.make import draft_kinds
from services.questions.making import Making
from services.questions.question_rows import QuestionWriter, question_id
from services.questions.review import take_up_reviews
from services.questions.variety import Variety
from services.questions.waves import FEWEST_A_BATCH, GROWTH, first_pools, make_few

MORE_PATHS_A_BATCH = 100
"""Of a later round no more paths are taken than a depth needs, to so many."""
DRAFTS_A_BATCH = 100
MOST_TRIED = 6_400
"""Paths of a depth that are tried beyond the first draw, directed ones and then those walked either way."""
UNDIRECTED_ROUND = 1_000
"""The first round of paths that walk edges either way; directed ones never come so far."""


def make_questions(job: QuestionJob) -> Counts:
    """Make the questions of a corpus; rejected ones stay, with what each filter said of them.

    Raises:
        ModelError: a model can't go on. What it answered is kept, and the next run goes on from there.
    """
    graph, corpus, choice = job.graph, job.corpus, job.choice
    forget_questions(graph, corpus)
    with ExitStack() as stack:
        making = open_making(stack, job)
        short: dict[int, str] = {}
        by_hand: list[str] = []
        making.variety = Variety(choice.target)
        if "chain" in choice.kinds:
            rows = graph.rows(query("paths/list_paths"), corpus=corpus, first=True)
            by_hand = [row["id"] for row in rows if not row["drawn"]]
            drawn = {
                depth: [row["id"] for row in rows if row["drawn"] and row["hops"] == depth]
                for depth in DEPTHS
            }
            if job.tools.by_model:
                short = make_few(making, job, drawn)
            else:
                first = [row["id"] for row in rows if row["drawn"]]
                deque(make_from_paths(making, first), maxlen=0)
                short = _draw_more(making, job, Counter({depth: len(ids) for depth, ids in drawn.items()}))
        cut_over = list(making.difficulties)
        making.variety = None
        deque(make_from_paths(making, by_hand), maxlen=0)
        _make_other_kinds(making, job)
    freeze_dataset(graph, corpus, choice.bins, cut_over, making.difficulties[len(cut_over) :])
    take_up_reviews(graph, corpus, job.embedder.embed)
    return funnel_counts(graph, corpus, choice, short)


def open_making(stack: ExitStack, job: QuestionJob) -> Making:
    """What makes questions, with models that are open as long as the stack is."""
    rounds = Rounds(job.progress)
    filters = job.tools.filters(stack, job.graph, job.corpus, job.choice, rounds)
    return Making(
        job.graph,
        filters,
        prefix_filters(filters, by_model=job.choice.prefix_checks == "model"),
        QuestionWriter(job.graph, job.corpus, job.embedder),
        job.tools.opened_writer(stack, rounds),
        rounds,
        told_waves=job.tools.by_model,
        wording=job.choice.wording,
    )


def make_from_paths(making: Making, paths: Sequence[str]) -> Iterator[Made]:
    """A question for each path, a batch at a time, so that memory does not grow with them.

    Raises:
        ModelError: a model can't go on; the message says how many paths have their questions.
    """
    if paths:
        making.progress.step("questions", len(paths))
    done = 0
    for ids in batches(paths, PATHS_A_BATCH):
        try:
            made = making.from_paths(ids)
        except ModelError as error:
            left = len(paths) - done
            error.message += f" {done:,} of {len(paths):,} paths have their question, {left:,} are left."
            raise
        done += len(ids)
        making.progress.advance(len(ids))
        yield from made


def _draw_more(making: Making, job: QuestionJob, known: Counter[int]) -> dict[int, str]:
    """Draw further paths, twice as many a round, until every depth has enough questions or no path is left.

    They go over edges that rules ask about. Where directed paths are used up, those follow that walk edges
    against their direction as well. For each depth that stays short, why.
    """
    graph, corpus, target, clusters = job.graph, job.corpus, job.choice.target, job.choice.span_clusters
    pools = first_pools(graph, corpus)
    complete = {depth for depth in DEPTHS if known[depth] < job.draw.per_depth}
    short = [depth for depth in DEPTHS if making.count_kept("chain", depth) < target and depth >= clusters]
    if short:
        least, by_model = job.choice.least_confidence, job.tools.by_model
        unfit = read_unfit_edges(graph, corpus, least, by_model=by_model)
        tried = {row["id"] for row in graph.rows(query("paths/list_paths"), corpus=corpus, first=False)}
        directed = [depth for depth in short if depth not in complete]
        walked = LaterDraws(graph, corpus, job.draw, making.progress, unfit, job.engine, MOST_TRIED)
        drawn = _further(making, job, walked, directed, tried)
        pools |= drawn
        if not job.draw.undirected:
            undirected = replace(job.draw, undirected=True)
            either_way = LaterDraws(graph, corpus, undirected, making.progress, unfit, job.engine, MOST_TRIED)
            pools |= _further(making, job, either_way, short, tried, UNDIRECTED_ROUND)
    return {
        depth: shortage(making.tallies["chain", depth], target, pools[depth])
        if depth >= clusters
        else too_short(depth, target, clusters)
        for depth in DEPTHS
        if making.count_kept("chain", depth) < target
    }


def _further(
    making: Making,
    job: QuestionJob,
    later: LaterDraws,
    depths: Sequence[int],
    tried: set[str],
    round_: int = FIRST_LATER_ROUND,
) -> dict[int, Pool]:
    """Make questions of these depths from ever larger draws, at most `MOST_TRIED` paths of each.

    Paths `tried` are not tried again, and grow. What the paths were drawn from, by depth.
    """
    graph, corpus, target = job.graph, job.corpus, job.choice.target
    known, pools, exhausted = Counter[int](), dict[int, Pool](), set[int]()
    number = job.draw.per_depth
    while wanting := [
        depth for depth in depths if depth not in exhausted and making.count_kept("chain", depth) < target
    ]:
        for depth, beyond in later.beyond(known, dict.fromkeys(wanting, number)).items():
            making.progress.step(f"more questions of {depth} hops", len(beyond.ways))
            for ways in batches(beyond.ways, MORE_PATHS_A_BATCH):
                if making.count_kept("chain", depth) >= target:
                    break
                new = [way for way in ways if way_id(corpus, way) not in tried]
                ids = write_round(graph, corpus, new, round_)
                tried.update(ids)
                making.from_paths(ids)
                known[depth] += len(ways)
                making.progress.advance(len(ways))
            pools[depth] = beyond.pool
            if beyond.exhausted or number >= MOST_TRIED:
                exhausted.add(depth)
        number, round_ = min(number * GROWTH, MOST_TRIED), round_ + 1
    return pools


def _make_other_kinds(making: Making, job: QuestionJob) -> None:
    """Up to so many kept questions of each other kind, none of which rests on one fact, entity or article."""
    kinds, most = job.choice.other_kinds, job.choice.per_kind
    if not kinds:
        return
    making.variety = Variety(most)
    drafts = draft_kinds(job.graph, job.corpus, kinds, most, job.draw.seed, making.progress)
    size = min(DRAFTS_A_BATCH, max(FEWEST_A_BATCH, most // 2)) if job.tools.by_model else DRAFTS_A_BATCH
    for batch in batches(_not_full(drafts, making, most), size):
        fresh, crowded = making.fresh(batch)
        checked = making.check(crowded + making.worded(fresh))
        room = {kind: most - making.count_kept(kind) for kind in kinds}
        making.write(no_more_than(checked, room))


def _not_full(drafts: Iterable[Draft], making: Making, most: int) -> Iterator[Draft]:
    """The drafts of kinds that have room, none twice."""
    seen: set[tuple[QuestionKind, str]] = set()
    for draft in drafts:
        key = (draft.kind, draft.text)
        if key not in seen and making.count_kept(draft.kind) < most:
            seen.add(key)
            yield draft


def no_more_than(checked: Sequence[Made], room: Mapping[QuestionKind, int]) -> list[Made]:
    """Those for which their kinds have room for kept ones, rejected ones up to where a kind is full."""
    left = dict(room)
    taken = []
    for one in checked:
        if left[one.draft.kind] > 0:
            taken.append(one)
            left[one.draft.kind] -= one.kept
    return taken


def add_questions(job: QuestionJob, paths: Sequence[str]) -> list[Made]:
    """Make questions from these paths, but for those that have one; a later stage makes them as well.

    Raises:
        NothingToDoError: the corpus has no questions yet, or no such path; nothing is made then.
        ModelError: a model can't go on.
    """
    graph, corpus = job.graph, job.corpus
    _require_made(graph, corpus)
    rows = graph.rows(query("paths/find_asked"), corpus=corpus, ids=list(dict.fromkeys(paths)))
    unknown = set(paths) - {row["id"] for row in rows}
    if unknown:
        raise NothingToDoError(
            f"corpus {corpus!r} has no path {', '.join(map(repr, sorted(unknown)))}.",
            f"See the ids: {command('graph paths list --saved --corpus', corpus)}",
        )
    graph.write_rows(
        query("corpus/write_properties"), ({"id": row["id"], "properties": {"asked": True}} for row in rows)
    )
    with ExitStack() as stack:
        making = open_making(stack, job)
        made = list(make_from_paths(making, [row["id"] for row in rows if not row["asked"]]))
    _record(job, making)
    return made


def retry_failed_questions(job: QuestionJob) -> list[Made]:
    """Ask again where a model gave no question, or no verdict on one; what it gave comes from its cache.

    Raises:
        NothingToDoError: the corpus has no questions yet.
        ModelError: a model can't go on; what it did not answer can be asked for again.
    """
    graph, corpus = job.graph, job.corpus
    _require_made(graph, corpus)
    failed = {
        row["id"]: row["path"]
        for row in graph.rows(
            query("questions/list_failed"), corpus=corpus, written=WRITTEN, not_checked=NOT_CHECKED
        )
    }
    if not failed:
        return []
    with ExitStack() as stack:
        making = open_making(stack, job)
        paths = [path for path in failed.values() if path is not None]
        made = list(make_from_paths(making, paths))
        others = _drafts_again(making, job, {id_ for id_, path in failed.items() if path is None})
        made += making.write(no_more_than(making.check(list(others.values())), _room(job)))
    # Only now, so that what is cut off before can still be found.
    renewed = {question_id(corpus, one.draft) for one in made}
    tried = others.keys() | {id_ for id_, path in failed.items() if path is not None}
    gone = sorted(tried - renewed)
    graph.rows(query("corpus/delete_by_ids"), ids=gone)
    _record(job, making)
    return made


def _drafts_again(making: Making, job: QuestionJob, failed: Collection[str]) -> dict[str, Made]:
    """The questions of other kinds that failed, by id, as they were before any filter.

    One that a model never worded has the id of the rules' words; the words of others come from its cache.
    """
    if not failed:
        return {}
    corpus, kinds, most = job.corpus, job.choice.other_kinds, job.choice.per_kind
    drafts = draft_kinds(job.graph, corpus, kinds, most, job.draw.seed, making.progress)
    found: dict[str, Made] = {}
    for some in batches(drafts, DRAFTS_A_BATCH):
        for draft, made in zip(some, making.worded(some), strict=True):
            ids = {question_id(corpus, draft), question_id(corpus, made.draft)} & set(failed)
            found.update(dict.fromkeys(ids, made))
        if len(found) == len(failed):
            break
    return found


def _room(job: QuestionJob) -> dict[QuestionKind, int]:
    """How many kept questions of each other kind are still wanted."""
    tallies = tally(job.graph.rows(query("questions/count_questions"), corpus=job.corpus))
    most = job.choice.per_kind
    return {kind: most - tallies.get((kind, None), Tally()).kept for kind in job.choice.other_kinds}


def _require_made(graph: Graph, corpus: str) -> None:
    line = read_stage(graph, corpus, "questions")
    if line is None or line["state"] != "done":
        raise NothingToDoError(
            f"the questions of corpus {corpus!r} are not made yet, or not to the end.",
            f"Make them: {command('questions make --corpus', corpus)}",
        )


def _record(job: QuestionJob, making: Making) -> None:
    """Put the new questions into their bins, and note the version and the counts that there are now."""
    graph, corpus = job.graph, job.corpus
    place_added(graph, corpus, making.difficulties)
    take_up_reviews(graph, corpus, job.embedder.embed)
    line = read_stage(graph, corpus, "questions")
    if line is not None:
        counts = funnel_counts(graph, corpus, job.choice, shortages(counts_of(line)))
        record_stage(graph, corpus, "questions", line["key"], counts)
