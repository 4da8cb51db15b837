"""Make a report: analyse its runs, read it, and write what it finds back to the graph."""

from collections.abc import Sequence

from kg.progress import Progress
from kg.store.graph import Graph
from services.evaluate.write_back import analyse_run
from services.questions.spans.question_spans import renew_spans
from services.report.collect import choose_runs, collect_report
from services.report.content import Report
from services.report.findings import write_findings


def make_report(graph: Graph, corpus: str, runs: Sequence[str], progress: Progress, seed: int = 0) -> Report:
    """The report on runs, by default all of a corpus, as their verdicts are now; its findings are written.

    Raises:
        NothingToDoError: there is no run, or none of such a name.
    """
    names = choose_runs(graph, corpus, runs)
    progress.begin("report")
    renew_spans(graph, corpus)
    progress.step("answers analysed", len(names))
    for name in names:
        analyse_run(graph, corpus, name)
        progress.advance()
    progress.step("statistics")
    report = collect_report(graph, corpus, names, seed)
    progress.step("findings")
    write_findings(graph, report)
    progress.end(f"runs {len(names)}, comparisons {len(report.comparisons)}")
    return report
