"""Which filters a question goes through, in which order, and what each is about in a line.

Is there a shorter way to the answer than the question's own?
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from types import MappingProxyType

from kg.llm.protocol import Model, ModelRequest
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.stages.resolution import read_resolution_choice
from kg.store.graph import Graph
from services.questions.draft import Check, Draft, Stop
from services.questions.filters.form import NOT_CONCATENATED, WELL_FORMED
from services.questions.filters.hiding import ANSWER_HIDDEN, MIDDLE_HIDDEN, RetrievalNecessary
from services.questions.filters.model_checks import (
    ClosedBookFails,
    ModelSolver,
    ModelVerdict,
    alone_requests,
    sense_requests,
    solve_requests,
)
from services.questions.filters.name_use import read_same_names
from services.questions.filters.need import (
    SPANS_CLUSTERS,
    EveryHopNeeded,
    Solvable,
    check_each,
    without_one_hop,
)
from services.questions.filters.other_answers import (
    ONLY_IN_ARCHIVE,
    OnlyAnswerInArchive,
    other_answer_requests,
)
from services.questions.filters.protocol import Filter, Verdict, fail
from services.questions.filters.rivals import OnlyAnswer
from services.questions.filters.solver import NOT_CHECKED, RuleSolver, Solver, SolveTask
from services.questions.filters.standing import AnswerSpecific, StandsAlone
from services.questions.variety import ABOUT_VARIETY, VARIETY

PAIRS_A_BATCH = 500
"""Pairs of ends between which one statement looks for paths."""


@dataclass(frozen=True, slots=True)
class NoShortcut:
    """No shorter directed path leads to a chain's answer, and no chunk alone gives an answer.

    The path may begin at the start or at any entity that shares a name with it, end at any that shares a name
    with the answer, go through hubs, and along doubtful or attributed facts. Of a question in a model's words
    it is a shortcut only where its last fact has the predicate of the question's last one: what else relates
    the two ends does not answer what is asked, and whether all facts are needed the model tries itself. The
    chunks tried alone are those of a chain's last hop, which hold the answer, and all of other kinds. Null
    questions pass.
    """

    graph: Graph
    corpus: str
    solver: Solver
    name: str = "no shortcut"

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        shorter = self._shorter_paths(drafts)
        alone = check_each(self.solver, drafts, _single_chunks, "by a single chunk")
        return [fail(shorter[at]) if at in shorter else verdict for at, verdict in enumerate(alone)]

    def _shorter_paths(self, drafts: Sequence[Draft]) -> dict[int, str]:
        """The shortest of the shorter paths in words, by the draft's place."""
        chains = [(at, draft) for at, draft in enumerate(drafts) if draft.kind == "chain"]
        ends = [stop for _, draft in chains for stop in (draft.stops[0], draft.stops[-1])]
        same = read_same_names(self.graph, self.corpus, (name for stop in ends for name in stop.names))
        rows = [
            {
                "at": at,
                "start": start,
                "end": end,
                "hops": len(draft.facts),
                "last": draft.facts[-1].predicate if draft.by_model else None,
            }
            for at, draft in chains
            for start, end in product(_called(draft.stops[0], same), _called(draft.stops[-1], same))
            if start != end
        ]
        found = list(self.graph.read_rows(query("paths/find_shorter"), rows, PAIRS_A_BATCH))
        told = {}
        for row in sorted(found, key=lambda row: (row["hops"], row["names"]), reverse=True):
            hops = f"{row['hops']} hop{'s' * (row['hops'] > 1)}"
            told[row["at"]] = f"a path of {hops} leads there: {' > '.join(row['names'])}"
        return told


def _called(stop: Stop, same: dict[str, frozenset[str]]) -> list[str]:
    """The ids of all entities that share a name with a stop."""
    return sorted({stop.id}.union(*(same.get(normal_form(name), frozenset()) for name in stop.names)))


def _single_chunks(draft: Draft) -> Iterator[tuple[int, tuple[str, ...]]]:
    if len(draft.facts) < 2 or draft.kind == "null":
        return
    facts = draft.facts[-1:] if draft.kind == "chain" else draft.facts
    for chunk in dict.fromkeys(chunk for fact in facts for chunk in fact.chunks):
        yield 0, (chunk,)


WORDED_BY_RULES = ("well formed",)
"""What falls only because rules can't word it: a model's wording is judged by a model's verdict instead."""

CLOSED_BOOK = "model: retrieval necessary"
"""What a question falls at whose answer the model knows by heart."""

_ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "checkable facts": "its facts are whole and sure enough, and none that must not be asked about",
        "well formed": "one question of a sensible length, nothing left open, predicates that can be worded",
        "answer hidden": "no name of the answer stands in the question",
        "middle hidden": "no name of an entity on the way stands in the question",
        "not concatenated": 'its facts belong together, and no second question hangs on an "and"',
        "stands alone": "no word leans on an article, and the names in it mean one thing",
        "answer specific": "the answer is a name, a date or a number, and no chain goes on from a number",
        "only answer": "nothing else in the graph fits the same predicates",
        "no shortcut": "no shorter path answers it, and no chunk alone gives the answer",
        "retrieval necessary": "a guess at the most named entity of the asked type is wrong",
        "every hop needed": "without the evidence of any one hop the facts no longer lead to the answer",
        "solvable": "the facts that its evidence states lead to the answer",
        CLOSED_BOOK: "the model does not know the answer by heart",
        "model: stands alone": "the model finds question and answer clear without the articles",
        "model: solvable": "the model gets the answer from all the evidence",
        "model: makes sense": "the model finds that the question follows from its facts",
        ONLY_IN_ARCHIVE: "the model finds no other answer in what else is stated of the entities on its way",
        "model: every hop needed": "the model does not get the answer when one hop's evidence is left out",
    }
)

_ABOUT_SPANNING: Mapping[str, str] = MappingProxyType(
    {SPANS_CLUSTERS: "its evidence lies in as many clusters as were asked for"}
)

_ABOUT_COMPOSED: Mapping[str, str] = MappingProxyType(
    {
        "not a bare number": "the answer of an atomic question is more than figures",
        "true of one": 'an atomic question does not ask for one of many, as "who lives in X" does',
        "every name means one thing": "no two entities of the graph share the name of one on its way",
        "comparison needed": "what is asked of the one chosen has an answer for the other as well",
        "domain share": "its domain has no more than the share of questions that was asked for",
    }
)

FILTERS: tuple[str, ...] = tuple(_ABOUT)
"""The names of all filters, in the order in which questions go through them."""

SPANNING_FILTERS: tuple[str, ...] = tuple(_ABOUT_SPANNING)
"""The filter of questions that shall span clusters, behind those by rules."""

COMPOSED_FILTERS: tuple[str, ...] = tuple(_ABOUT_COMPOSED)
"""The filters that only composed questions go through, behind the others."""

_BY_RULES = FILTERS.index("solvable") + 1
BY_MODEL = "model: "
"""How the names of filters begin that ask a model."""
KNOWN_FILTERS = (*FILTERS[:_BY_RULES], *SPANNING_FILTERS, *FILTERS[_BY_RULES:], *COMPOSED_FILTERS, VARIETY)
"""Every filter that a question may have met, in their order."""


def describe(name: str) -> str:
    """What a filter is about, in a line for the funnel."""
    return {**_ABOUT, **_ABOUT_SPANNING, **_ABOUT_COMPOSED, VARIETY: ABOUT_VARIETY}[name]


def was_checked(check: Check) -> bool:
    """Whether a filter came to a verdict; a model that failed came to none, and can be asked again."""
    return check.passed or not check.reason.startswith(NOT_CHECKED)


def rule_filters(graph: Graph, corpus: str, *, guessing: bool = True) -> tuple[Filter, ...]:
    """The filters that need no model, the cheapest first.

    Without `guessing` the guess at the most named entity is left out: a model will answer from memory.
    """
    solver, concepts = RuleSolver(graph), read_resolution_choice(graph, corpus).concepts
    guess = (RetrievalNecessary(graph, corpus),) if guessing else ()
    return (
        WELL_FORMED,
        ANSWER_HIDDEN,
        MIDDLE_HIDDEN,
        NOT_CONCATENATED,
        StandsAlone(graph, corpus, concepts),
        AnswerSpecific(graph, corpus, concepts),
        OnlyAnswer(graph, corpus),
        NoShortcut(graph, corpus, solver),
        *guess,
        EveryHopNeeded(solver),
        Solvable(solver),
    )


def prefix_filters(filters: Sequence[Filter], *, by_model: bool) -> tuple[Filter, ...]:
    """Of the filters of whole questions those for the questions of their first hops.

    What is wished of the whole's evidence is not wished of a part; without `by_model` no model is asked.
    """
    left_out = {*SPANNING_FILTERS, *(() if by_model else FILTERS[_BY_RULES:])}
    return tuple(one for one in filters if one.name not in left_out)


def model_filters(
    graph: Graph, corpus: str, model: Model, wanted: Sequence[Filter] = (), *, from_memory: bool = True
) -> tuple[Filter, ...]:
    """The filters by rules, so that no question is paid for that they reject, then those by the model.

    Of these the shortest request comes first, the bare question, which also decides most. "Makes sense"
    shows all facts with their articles and rejects least, so that "solvable" comes before it.
    `wanted` are filters of the reader's own wishes; they come between. Without `from_memory` the model isn't
    asked what it knows by heart.

    Their `check` raises what `kg.llm.protocol.Model.ask` raises; an answer that fails rejects its question
    with a reason that `was_checked` tells from a verdict.
    """
    solver = ModelSolver(graph, model)
    by_heart = (ClosedBookFails(solver, CLOSED_BOOK),) if from_memory else ()
    return (
        *rule_filters(graph, corpus, guessing=False),
        *wanted,
        *by_heart,
        ModelVerdict("model: stands alone", model, alone_requests, "clear"),
        Solvable(solver, "model: solvable"),
        ModelVerdict("model: makes sense", model, partial(sense_requests, graph), "sound"),
        OnlyAnswerInArchive(graph, model),
        EveryHopNeeded(solver, "model: every hop needed"),
    )


def check_requests(
    graph: Graph, drafts: Sequence[Draft], *, from_memory: bool = True
) -> dict[str, list[ModelRequest]]:
    """What the model's filters would ask about drafts, by filter, if every draft came so far.

    Not among them: the comparisons of answers that differ from the right one in their letters, a short
    request each.
    """
    memory = [SolveTask(draft, ()) for draft in drafts if draft.kind != "null" and from_memory]
    whole = [SolveTask(draft, draft.chunks) for draft in drafts if draft.chunks]
    parts = [SolveTask(draft, chunks) for draft in drafts for _, chunks in without_one_hop(draft)]
    return {
        CLOSED_BOOK: solve_requests(graph, memory),
        "model: stands alone": alone_requests(drafts),
        "model: solvable": solve_requests(graph, whole),
        "model: makes sense": sense_requests(graph, drafts),
        ONLY_IN_ARCHIVE: list(other_answer_requests(graph, drafts).values()),
        "model: every hop needed": solve_requests(graph, parts),
    }
