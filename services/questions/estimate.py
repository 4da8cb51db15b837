"""What models would take to make the questions of a corpus; nothing is sent.

How many questions pass is not known before a model was asked. The estimate lets the rules stand in for its
words, puts these through the checks by rules, and takes for each check of a model the share that passed it in
a recorded job; from what is kept then follows how many paths the target takes.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import ceil, prod
from types import MappingProxyType

from kg.llm.protocol import Estimate, Model, ModelRequest
from kg.llm.roles import open_model
from kg.paths.protocol import DEPTHS
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.stages.path_finding import read_path_options
from kg.store.graph import Graph, batches
from services.questions.chains import (
    draft_chain,
    prefix_by_rules,
    prefix_draft,
    read_chains,
    with_all_evidence,
)
from services.questions.checkable import CheckableFacts
from services.questions.choice import QuestionChoice
from services.questions.draft import Draft, Wording
from services.questions.filters.choose import CLOSED_BOOK, check_requests, rule_filters
from services.questions.filters.need import read_restated, spans_clusters
from services.questions.filters.protocol import run_filters
from services.questions.generate import FOUND_SHARE, PATHS_A_BATCH, estimate_writing, stand_in
from services.questions.kinds.make import draft_kinds
from services.questions.rewording import estimate_rewording

SHARES: Mapping[str, float] = MappingProxyType(
    {
        "model: retrieval necessary": 0.4,
        "model: stands alone": 0.98,
        "model: solvable": 0.98,
        "model: makes sense": 0.94,
        "model: only answer": 0.98,
        "model: every hop needed": 0.85,
    }
)
"""The share of questions that passes each check of a model. The source are three jobs on news with a large
model (tests/data/model_wordings.yaml has the questions of the first, docs/evaluation/model.md shows the
others): 60 of 142 paths became questions, and of those that came to a check 19 of 49, 52 of 52, 19 of 19,
49 of 52 and 12 of 14 passed (the third and fourth then in the other order); "only answer" is of the newest
only, 13 of 13."""
TRIED_OF_FALLEN = 0.5
"""The share of its hops that a question which falls at "every hop needed" was asked without."""
MOST_OF_A_DEPTH = 100
"""Paths of a depth that are gone through, spread evenly over the draw; the others are taken to be alike."""
ASSUMPTION = "It assumes that "


@dataclass(frozen=True, slots=True)
class QuestionEstimate:
    """What writing and checking would take, of further paths and of other kinds too; None where rules work.

    `paths` is how many would be taken until the target is met, `assumption` what that rests on.
    """

    paths: int
    writing: Estimate | None
    checking: Estimate | None
    assumption: str = ""

    @property
    def parts(self) -> dict[str, Estimate]:
        """What each step that a model does would take, by its name."""
        found = {"writing": self.writing, "checking": self.checking}
        return {step: part for step, part in found.items() if part is not None}


def estimate_questions(
    graph: Graph, corpus: str, choice: QuestionChoice, settings: Settings
) -> QuestionEstimate:
    """Count what would be asked; the model's questions are taken to be as long as those of the rules.

    Raises:
        SettingsError: a model is to work and none is set for its role.
    """
    writes, judges = choice.generator == "model", choice.checks == "model"
    if not (writes or judges):
        return QuestionEstimate(0, None, None)
    rows = graph.rows(query("paths/list_paths"), corpus=corpus, first=True) if "chain" in choice.kinds else []
    options = read_path_options(graph, corpus)
    most = settings.hopgrade_paths_per_question * choice.target
    shares = shares_of(choice)
    total, writing, checking = 0, Estimate(), Estimate()
    with ExitStack() as stack:
        writer = stack.enter_context(open_model("generate", settings)) if writes else None
        judge = stack.enter_context(open_model("judge", settings)) if judges else None
        for depth in DEPTHS if rows else ():
            ids = [row["id"] for row in rows if row["hops"] == depth and row["drawn"]]
            if not ids:
                continue
            whole, full = len(ids), len(ids) >= options.per_depth
            ids = ids[:: ceil(len(ids) / MOST_OF_A_DEPTH)]
            drafts = _chain_drafts(graph, ids, writes, choice.wording)
            # A draw that is not full has all the paths that there are, and not all of them are paid for.
            paid = 1 - len(read_restated(graph, drafts)) / len(ids) if writes else 1.0
            there = most if full else min(most, round(paid * whole))
            passing = _passing(graph, corpus, choice, drafts, judges)
            by_rules = len(passing) / len(ids)
            made = min(FOUND_SHARE, by_rules) if writes else by_rules
            wanted = _paths_wanted(choice.target, made * (prod(shares.values()) if judges else 1.0), there)
            total += wanted
            if writer is not None:
                writing += estimate_writing(graph, writer, ids).scale(wanted / len(ids))
            if judge is not None and passing:
                part = made * wanted / len(passing)
                checking += _checking(graph, judge, passing, shares).scale(part)
                if choice.prefix_checks == "model":
                    anywhere = replace(choice, span_clusters=1)
                    firsts = _passing(graph, corpus, anywhere, _first_hops(passing, choice.wording), judges)
                    checking += _checking(graph, judge, firsts, shares).scale(part * prod(shares.values()))
        if choice.other_kinds:
            others = list(_of_other_kinds(graph, corpus, choice))
            if writer is not None:
                writing += estimate_rewording(graph, writer, others)
            if judge is not None:
                passing = _passing(graph, corpus, choice, others, judges)
                checking += _checking(graph, judge, passing, shares)
    assumed = f"{FOUND_SHARE:.0%} of the paths become a question, and that " if writes else ""
    pass_each = ", ".join(f"{share:.0%} {name.removeprefix('model: ')!r}" for name, share in shares.items())
    return QuestionEstimate(
        total,
        writing if writes else None,
        checking if judges else None,
        f"{ASSUMPTION}{assumed}of the questions that come to a check so many pass: {pass_each}."
        if judges
        else "",
    )


def shares_of(choice: QuestionChoice) -> dict[str, float]:
    """The share that passes each check that a model makes for the choice."""
    return {name: share for name, share in SHARES.items() if name != CLOSED_BOOK or choice.known == "reject"}


def _paths_wanted(target: int, share: float, most: int) -> int:
    """How many paths a depth takes until its target is met, or is given up, where a share of them is kept."""
    return min(most, ceil(target / share)) if share else most


def _chain_drafts(graph: Graph, paths: Sequence[str], writes: bool, wording: Wording) -> list[Draft]:
    chains = (chain for some in batches(paths, PATHS_A_BATCH) for chain in read_chains(graph, some))
    return [stand_in(chain) if writes else draft_chain(chain, wording) for chain in chains]


def _first_hops(drafts: Sequence[Draft], wording: Wording) -> list[Draft]:
    """The questions of the first hops of chains, as if whoever worded a chain had worded them too."""
    return [
        replace(prefix_draft(draft, prefix_by_rules(draft, hops, wording)), generator=draft.generator)
        for draft in drafts
        for hops in range(1, draft.hops)
    ]


def _of_other_kinds(graph: Graph, corpus: str, choice: QuestionChoice) -> Iterable[Draft]:
    options = read_path_options(graph, corpus)
    drafts = draft_kinds(graph, corpus, choice.other_kinds, choice.per_kind, options.seed, Silent())
    for some in batches(drafts, PATHS_A_BATCH):
        yield from with_all_evidence(graph, some)


def _passing(
    graph: Graph, corpus: str, choice: QuestionChoice, drafts: Sequence[Draft], judges: bool
) -> list[Draft]:
    """What the checks by rules let pass."""
    wanted = spans_clusters(graph, corpus, choice.cluster_by, choice.span_clusters)
    sure = CheckableFacts(graph, corpus, choice.least_confidence)
    filters = (sure, *rule_filters(graph, corpus, guessing=not judges), *wanted)
    made = (one for some in batches(drafts, PATHS_A_BATCH) for one in run_filters(filters, some))
    return [one.draft for one in made if one.kept]


def _checking(graph: Graph, judge: Model, drafts: Sequence[Draft], shares: Mapping[str, float]) -> Estimate:
    """What the checks of these drafts would take, where each lets its share pass."""
    asked: dict[str, list[ModelRequest]] = {name: [] for name in shares}
    for some in batches(drafts, PATHS_A_BATCH):
        for name, requests in check_requests(graph, some, from_memory=CLOSED_BOOK in shares).items():
            asked.get(name, []).extend(requests)
    total, share = Estimate(), 1.0
    for name, requests in asked.items():
        tried = shares[name] + TRIED_OF_FALLEN * (1 - shares[name]) if name.endswith("hop needed") else 1.0
        total += judge.estimate(requests).scale(share * tried)
        share *= shares[name]
    return total
