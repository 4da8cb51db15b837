"""Drafts on their way through the filters into the graph, kept or rejected."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from kg.llm.protocol import Model
from kg.store.graph import Graph
from services.questions.chains import draft_chain, read_chains
from services.questions.dataset import Difficulty
from services.questions.draft import Made, QuestionKind
from services.questions.filters.protocol import Filter, run_filters
from services.questions.funnel import Tally
from services.questions.generate import write_by_model
from services.questions.question_rows import QuestionWriter


@dataclass(slots=True)
class Making:
    """Makes questions and counts them; without a `model` the rules word them.

    `difficulties` are those of the kept chain questions, in the order in which they were made.
    """

    graph: Graph
    filters: Sequence[Filter]
    writer: QuestionWriter
    model: Model | None = None
    tallies: dict[tuple[QuestionKind, int], Tally] = field(default_factory=lambda: defaultdict(Tally))
    difficulties: list[Difficulty] = field(default_factory=list)

    def from_paths(self, paths: Sequence[str]) -> list[Made]:
        """Make and write a question for each path, counting them.

        Raises:
            ModelError: a model can't go on; nothing of these paths is written.
        """
        chains = read_chains(self.graph, paths)
        if self.model is None:
            begun = [Made(draft_chain(chain)) for chain in chains]
        else:
            begun = write_by_model(self.graph, self.model, chains)
        return self.write(self.check(begun))

    def check(self, begun: Sequence[Made]) -> list[Made]:
        """Put what passed so far through the filters; their verdicts come after those that there are."""
        passing = iter(run_filters(self.filters, [one.draft for one in begun if one.kept]))
        made = []
        for one in begun:
            if one.kept:
                filtered = next(passing)
                made.append(Made(filtered.draft, one.checks + filtered.checks))
            else:
                made.append(one)
        return made

    def write(self, made: list[Made]) -> list[Made]:
        """Write questions and count them."""
        for one, row in zip(made, self.writer.write(made), strict=True):
            failed = one.failed
            tally = self.tallies[one.draft.kind, one.draft.hops if one.draft.kind == "chain" else 0]
            tally.add(row["status"], failed.filter if failed else None)
            if one.draft.kind == "chain" and one.kept:
                self.difficulties.append(Difficulty(row["id"], row["hops"], row["difficulty_min"]))
        return made

    def kept(self, kind: QuestionKind, hops: int = 0) -> int:
        """How many of a depth or of a kind are kept so far."""
        return self.tallies[kind, hops].kept
