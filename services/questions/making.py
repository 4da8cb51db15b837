"""Drafts on their way through the filters into the graph, kept or rejected."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kg.llm.protocol import Model
from kg.progress import Progress, Silent
from kg.store.graph import Graph
from services.questions.chains import (
    draft_chain,
    prefix_by_rules,
    prefix_draft,
    read_chains,
    with_all_evidence,
)
from services.questions.dataset import Difficulty
from services.questions.draft import Draft, Made, Prefix, QuestionKind, Wording
from services.questions.filters.choose import BY_MODEL
from services.questions.filters.need import read_restated, tells_more
from services.questions.filters.protocol import Filter, run_filters
from services.questions.funnel import Tally
from services.questions.generate import write_by_model
from services.questions.namesakes import joins_a_shared_name
from services.questions.question_rows import QuestionWriter
from services.questions.rewording import reword_by_model
from services.questions.variety import Variety


@dataclass(slots=True)
class Choice:
    """Paths to make questions of in a wave, in order; poor ones, those for another wave, how many never.

    Those `crowded` are about what was asked about often enough, as long as no more questions are kept.
    """

    paths: list[str] = field(default_factory=list)
    poor: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    crowded: list[str] = field(default_factory=list)
    given_up: int = 0


@dataclass(slots=True)
class Making:
    """Makes questions and counts them; without a `model` the rules word them.

    `filters` are for questions, `of_prefixes` for those of the first hops of a kept one. `difficulties` are
    those of the kept chain questions, in the order in which they were made. With `told_waves` the progress is
    told of each filter as it begins: with a model each takes a while. `variety` bounds how often questions
    come back to the same fact, entity or article; None for what somebody picked by hand.
    """

    graph: Graph
    filters: Sequence[Filter]
    of_prefixes: Sequence[Filter]
    writer: QuestionWriter
    model: Model | None = None
    progress: Progress = field(default_factory=Silent)
    told_waves: bool = False
    wording: Wording = "any"
    variety: Variety | None = None
    tallies: dict[tuple[QuestionKind, int], Tally] = field(default_factory=lambda: defaultdict(Tally))
    difficulties: list[Difficulty] = field(default_factory=list)

    def from_paths(self, paths: Sequence[str]) -> list[Made]:
        """Make and write a question for each path, counting them.

        Raises:
            ModelError: a model can't go on; nothing of these paths is written.
        """
        chains = read_chains(self.graph, paths)
        fresh, crowded = self.fresh([draft_chain(chain, self.wording) for chain in chains])
        if self.model is None:
            begun = [Made(draft) for draft in fresh]
        else:
            wanted = {draft.path for draft in fresh}
            self._watch("writing", len(wanted))
            begun = write_by_model(self.graph, self.model, [one for one in chains if one.path in wanted])
        return self.write(self.check(crowded + begun))

    def begin_wave(self) -> None:
        """A wave of paths is chosen anew, by all that is known of those before."""
        if self.variety is not None:
            self.variety.begin_wave()

    def choose(self, paths: Sequence[str], *, poor_too: bool = False) -> Choice:
        """Which of the paths are worth a request in this wave, by what became of the questions before.

        Left out for good are those with a fact at which several questions fell, or with a name that means
        two things, or of which a passage for one fact has both ends of another. Those promise little that
        have a fact at which a question fell, a claim or sentence that tells of the ends of another, or a name
        that many people bear where two articles join, or are about what was asked about often enough. Of two
        that stake too much on the same fact one waits.
        """
        choice = Choice()
        if self.variety is None:
            choice.paths += paths
            return choice
        drafts = [draft_chain(chain, self.wording) for chain in read_chains(self.graph, paths)]
        restated = read_restated(self.graph, drafts)
        for draft in drafts:
            if draft.path in restated or self.variety.is_given_up(draft):
                choice.given_up += 1
            elif not (
                poor_too
                or (self.variety.promises(draft) and not tells_more(draft) and not joins_a_shared_name(draft))
            ):
                choice.poor.append(draft.path)
            elif not self.variety.check(draft).passed:
                choice.crowded.append(draft.path)
            elif self.variety.stake(draft):
                choice.paths.append(draft.path)
            else:
                choice.waiting.append(draft.path)
        return choice

    def worded(self, drafts: Sequence[Draft]) -> list[Made]:
        """Drafts of other kinds than chains, in the model's words where one writes.

        Raises:
            ModelError: a model can't go on.
        """
        if self.model is None:
            return [Made(draft) for draft in drafts]
        self._watch("writing", len(drafts))
        return reword_by_model(self.graph, self.model, drafts)

    def check(self, begun: Sequence[Made]) -> list[Made]:
        """Put what passed so far through the filters; their verdicts come after those that there are."""
        drafts = [one.draft for one in begun if one.kept]
        passing = iter(run_filters(self.filters, self._with_evidence(drafts), self._watch))
        made = []
        for one in begun:
            if one.kept:
                filtered = next(passing)
                made.append(Made(filtered.draft, one.checks + filtered.checks))
            else:
                made.append(one)
        return self._with_checked_prefixes([self._varied(one) for one in made])

    def fresh(self, drafts: Sequence[Draft]) -> tuple[list[Draft], list[Made]]:
        """The drafts worth wording and checking; the others are about what was asked often enough."""
        fresh: list[Draft] = []
        crowded: list[Made] = []
        for draft in drafts:
            check = self.variety.check(draft) if self.variety is not None else None
            if check is None or check.passed:
                fresh.append(draft)
            else:
                crowded.append(Made(draft, (check,)))
        return fresh, crowded

    def _varied(self, one: Made) -> Made:
        """A kept question, unless what it is about was asked about often enough."""
        if self.variety is None or not one.kept:
            return one
        check = self.variety.check(one.draft)
        if check.passed:
            self.variety.add(one.draft)
        return Made(one.draft, (*one.checks, check))

    def write(self, made: list[Made]) -> list[Made]:
        """Write questions and count them."""
        for one, row in zip(made, self.writer.write(made), strict=True):
            failed = one.failed
            if self.variety is not None:
                self.variety.add_fallen(one)
            tally = self.tallies[one.draft.kind, one.draft.hops if one.draft.kind == "chain" else 0]
            tally.add(row["status"], failed.filter if failed else None)
            if one.draft.kind == "chain" and one.kept:
                self.difficulties.append(Difficulty(row["id"], row["hops"], row["difficulty_min"]))
        return made

    def count_kept(self, kind: QuestionKind, hops: int = 0) -> int:
        """How many of a depth or of a kind are kept so far."""
        return self.tallies[kind, hops].kept

    def count_drawn(self, kind: QuestionKind, hops: int = 0) -> int:
        """How many of a depth or of a kind were made so far, kept or not."""
        return self.tallies[kind, hops].drawn

    def _watch(self, name: str, drafts: int) -> None:
        if self.told_waves:
            self.progress.step(name, drafts)

    def _with_evidence(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Drafts of other kinds than chains with all that states their facts; chains come with it."""
        others = [draft for draft in drafts if draft.kind != "chain"]
        widened = iter(with_all_evidence(self.graph, others) if others else ())
        return [draft if draft.kind == "chain" else next(widened) for draft in drafts]

    def _with_checked_prefixes(self, made: Sequence[Made]) -> list[Made]:
        """Kept chains with a question for each of their first hops.

        Where a model's does not pass the filters by rules, or there is none, the rules word it; what does not
        pass then says which filter it failed. What a model rejects no other words would save.
        """
        chains = {at: one.draft for at, one in enumerate(made) if one.kept and one.draft.kind == "chain"}
        good: dict[tuple[int, int], Prefix] = {}
        given = [(at, prefix) for at, draft in chains.items() for prefix in draft.prefixes if draft.by_model]
        for (at, prefix), checked in zip(given, self._checked(chains, given), strict=True):
            if checked.failed is None or checked.failed.filter.startswith(BY_MODEL):
                good[at, prefix.hops] = checked
        by_rules = [
            (at, prefix_by_rules(draft, hops, self.wording))
            for at, draft in chains.items()
            for hops in range(1, draft.hops)
            if (at, hops) not in good
        ]
        for (at, prefix), checked in zip(by_rules, self._checked(chains, by_rules), strict=True):
            good[at, prefix.hops] = checked
        done = list(made)
        for at, draft in chains.items():
            prefixes = tuple(good[at, hops] for hops in range(1, draft.hops))
            done[at] = Made(replace(draft, prefixes=prefixes), made[at].checks)
        return done

    def _checked(self, chains: dict[int, Draft], prefixes: Sequence[tuple[int, Prefix]]) -> list[Prefix]:
        drafts = [prefix_draft(chains[at], prefix) for at, prefix in prefixes]
        made = run_filters(self.of_prefixes, drafts, self._watch)
        return [replace(prefix, failed=one.failed) for (_, prefix), one in zip(prefixes, made, strict=True)]
