"""A run of a corpus: its matrix and answers as tables, beside other runs, as a picture, through a gate."""

from dataclasses import astuple, dataclass
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

from kg.ids import run_id
from kg.progress import Progress, Silent
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph, Row
from kg.store.leases import answering_in
from services.comparison.collect import protocol_questions
from services.comparison.protocol_file import read_protocol
from services.evaluate.judge import (
    JudgeOptions,
    Scale,
)
from services.evaluate.judge_by_hand import (
    read_agreements,
    read_labels,
    record_labels,
    write_sample,
)
from services.evaluate.matrix import Matrix
from services.evaluate.run_analysis import read_answers
from services.evaluate.write_back import read_matrix
from services.gate import Gate, GateRules, check_gate
from services.preflight.asking import judge_answers
from services.python_api.plots import CellValue, cells_frame, compared_frame, matrix_frame, plot_matrix
from services.report.collect import choose_runs
from services.report.comparisons import compare_runs
from services.report.run_facts import retrieval_means
from services.runs.records import list_runs

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Run:
    """A run as its corpus recorded it: who answered, who judged, and what came of it.

    `right` counts verdicts by `judge`; `errors` are answers that failed, which count as wrong.
    """

    graph: Graph
    corpus: str
    settings: Settings
    name: str
    system: str
    generator: str
    judge: str
    answers: int
    right: int
    errors: int
    abstained: int
    cost: float | None
    finished: bool

    def __repr__(self) -> str:
        """The name and how many answers are right."""
        return f"<Run {self.name!r} of {self.corpus!r}: {self.right} of {self.answers} right by {self.judge}>"

    def difficulty_matrix(self) -> Matrix:
        """The difficulty matrix as values: cells with intervals, correlations, tests and clusters.

        >>> matrix = run.difficulty_matrix()
        >>> matrix.total.n == sum(cell.n for cell in matrix.cells)
        True
        """
        return read_matrix(self.graph, self.corpus, self.name)

    def matrix(self, value: CellValue = "error_rate") -> "pd.DataFrame":
        """The difficulty matrix as a table: a row a depth, a column a quartile of retrieval distance.

        `value` is what it shows: error_rate, n, errors, or the bounds low and high of the 95 % interval.
        Cells without an answer are NaN.

        >>> list(run.matrix("n").index)
        ['2 hops', '3 hops', '4 hops', '5 hops', 'all']
        >>> list(run.matrix().columns)
        ['near', 'Q2', 'Q3', 'far', 'all']
        """
        return matrix_frame(self.difficulty_matrix(), value)

    def cells(self) -> "pd.DataFrame":
        """The difficulty matrix with a row a cell, its counts, its interval and its clusters.

        >>> cells = run.cells()
        >>> bool((cells["errors"] <= cells["n"]).all())
        True
        """
        return cells_frame(self.difficulty_matrix())

    def answer_table(self) -> "pd.DataFrame":
        """The answers, a row a question: gold and given answer, verdict, where the chain broke, what it took.

        >>> table = run.answer_table()
        >>> len(table) == run.answers
        True
        >>> wrong = table[~table["correct"]].groupby("broken_by").size()
        """
        import pandas as pd  # noqa: PLC0415

        statement = query("answers/read_judged")
        rows = self.graph.rows(statement, run=run_id(self.corpus, self.name))
        return pd.DataFrame(rows, columns=list(statement.returns)).set_index("question")

    def retrieval(self) -> "pd.DataFrame":
        """How well the run ranked the evidence of its questions, a row a measure, with intervals by cluster.

        Null questions are left out: they have no evidence. Empty where the system doesn't tell what it
        retrieved.

        >>> table = run.retrieval()
        >>> bool(table.loc["Hits@10", "value"] >= table.loc["Hits@4", "value"])
        True
        """
        import pandas as pd  # noqa: PLC0415

        means = retrieval_means(read_answers(self.graph, run_id(self.corpus, self.name)))
        rows = [
            (name, mean.value, *((nan, nan) if mean.interval is None else astuple(mean.interval)), mean.n)
            for name, mean in means.items()
        ]
        return pd.DataFrame(rows, columns=["measure", "value", "low", "high", "n"]).set_index("measure")

    def compare(self, other: "Run | str", seed: int = 0) -> "pd.DataFrame":
        """This run beside another of the corpus on the questions that both answered, over all and by depth.

        `difference` is this run's accuracy less the other's; its interval and p-values take only clusters of
        questions for independent, `p_holm` is adjusted over the rows.

        >>> run.compare("multi-step").index[0]
        'all'
        """
        name = _name(other)
        choose_runs(self.graph, self.corpus, [name])
        answers = {one: read_answers(self.graph, run_id(self.corpus, one)) for one in (name, self.name)}
        return compared_frame(compare_runs(answers, seed))

    def gate(self, baseline: "Run | str", rules: GateRules | None = None) -> Gate:
        """Whether this run is worse than a baseline by more than the rules allow and chance explains.

        >>> print(run.gate("multi-step").passed)
        True
        """
        return check_gate(self.graph, self.corpus, self.name, _name(baseline), rules)

    def judge_answers(
        self,
        judge: str | None = None,
        *,
        scale: Scale = "binary",
        second: bool = False,
        prefer: bool = False,
        same_judge: bool = False,
        exact_too: bool = False,
        limit: int | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> "Run":
        """Let a model judge the answers, as the command run judge does; the run as it counts then.

        `judge` is the name of a model, by default HOPGRADE_JUDGE_MODEL, or "match" or "exact" for a rule,
        which asks none. The first model decides what is right, unless it is a `second` one, and a later one
        only with `prefer`. The command's reference tells what the others take. What it will take is told to
        `progress`, and the prompt tried before; stopped half-way, the same call goes on.

        Raises:
            SettingsError: no model is set, or an option can't work.
            UserError: the judge wrote the answers himself, or fails our prompt.
            ModelError: the model can't go on; what was judged is kept.

        >>> run.judge_answers("exact").judge
        'exact match'
        >>> again = run.judge_answers("match")
        >>> again.judge, again.right == run.right
        ('answer match', True)
        """
        options = JudgeOptions(scale, second, prefer, same_judge, exact_too, limit, seed)
        quiet = progress or Silent()
        judge_answers(self.graph, self.corpus, self.name, judge, options, self.settings, quiet)
        return self._now()

    def agreements(self) -> "pd.DataFrame":
        """How far every two judges agree, rules among them, and each with people's labels; a row a pair.

        >>> list(run.agreements().columns)
        ['first', 'second', 'n', 'agreed', 'kappa', 'low', 'high']
        """
        import pandas as pd  # noqa: PLC0415

        rows = [
            (
                one.first,
                one.second,
                one.n,
                one.agreed,
                one.kappa,
                *((nan, nan) if one.interval is None else astuple(one.interval)),
            )
            for one in read_agreements(self.graph, self.corpus, self.name)
        ]
        return pd.DataFrame(rows, columns=["first", "second", "n", "agreed", "kappa", "low", "high"])

    def sample(
        self, file: str | Path, answers: int = 60, seed: int = 0, *, standard: str | Path | None = None
    ) -> int:
        """Write answers for people to label, as JSON lines without a verdict; how many.

        Kinds, numbers of hops and what counts as right have their share. Write right or wrong into `label`,
        and take the file in by `label`. With the folder of a judged comparison as `standard`, only answers to
        its questions are drawn, abstentions aside: those that its judges can be tried on.

        Raises:
            InputError: the file can't be written, or the folder has no protocol.
            NothingToDoError: there is no answer to label.

        >>> run.sample("labels.jsonl", answers=4)
        4
        """
        only = None
        if standard is not None:
            only = frozenset(protocol_questions(self.graph, read_protocol(Path(standard))))
        return write_sample(self.graph, self.corpus, self.name, answers, seed, Path(file), only)

    def label(self, file: str | Path, by: str) -> int:
        """Take in what people said of a sample; how many labels. They win over every judge.

        Raises:
            InputError: a line can't be read, or is of no answer of this run.

        >>> run.sample("labels.jsonl", answers=4), run.label("labels.jsonl", by="ana")
        (4, 0)
        """
        labels = read_labels(Path(file))
        with answering_in(self.graph, self.corpus, self.name) as mine:
            return record_labels(mine, self.corpus, self.name, labels, by, Silent())

    def _now(self) -> "Run":
        (row,) = (row for row in list_runs(self.graph, self.corpus) if row["name"] == self.name)
        return run_of(self.graph, self.corpus, self.settings, row)

    def plot(self, axes: "Axes | None" = None) -> "Axes":
        """Draw the difficulty matrix; needs the extra notebook.

        >>> run.plot().get_xlabel()
        'retrieval distance'
        """
        return plot_matrix(self.difficulty_matrix(), f"Error rate of {self.name}", axes)


def run_of(graph: Graph, corpus: str, settings: Settings, row: Row) -> Run:
    """A run from a row of `services.runs.records.list_runs`."""
    return Run(
        graph=graph,
        corpus=corpus,
        settings=settings,
        name=row["name"],
        system=row["system"],
        generator=row["generator"] or "",
        judge=row["judge"] or "exact match",
        answers=row["answers"],
        right=row["right"],
        errors=row["errors"],
        abstained=row["abstained"],
        cost=row["cost"],
        finished=row["finished_at"] is not None,
    )


def _name(run: Run | str) -> str:
    return run if isinstance(run, str) else run.name
