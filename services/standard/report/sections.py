"""The report of a judged comparison as sections in the order in which a reviewer reads them."""

from dataclasses import dataclass

from services.report.html_values import TableView
from services.standard.analysis.content import Results
from services.standard.protocol import Protocol
from services.standard.report.sentences import (
    finding,
    headline,
    measure_definitions,
    naive_sentences,
    replication_sentences,
)
from services.standard.report.tables_crossings import crossing_tables
from services.standard.report.tables_hypotheses import detail_tables, naive_table, outcome_table, pairs_table
from services.standard.report.tables_judges import agreement_table, categories_table, trust_table
from services.standard.report.tables_measures import effects_table, measures_table, second_measures_table
from services.standard.report.tables_protocol import hypotheses_table, protocol_table, systems_table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report: sentences, then points of a list, then commands to type, then tables.

    `plot` asks for the forest plot, where drawings can be shown. Everything is plain text.
    """

    id: str
    heading: str
    sentences: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    tables: tuple[TableView, ...] = ()
    plot: bool = False


def protocol_of(results: Results) -> Protocol:
    """The protocol that the results are of."""
    return Protocol.model_validate(results.protocol)


def sections(results: Results) -> tuple[Section, ...]:
    """All sections; one without content is left out."""
    protocol = protocol_of(results)
    made = (
        Section(
            "summary",
            "In short",
            (headline(results),),
            tuple(" ".join(finding(one)) for one in results.hypotheses),
        ),
        Section(
            "protocol",
            "What was fixed before the run",
            (
                "Every system answered the same questions from the same frozen pool of candidates, within "
                "the same "
                "budget of evidence and the same cap on the answer. The protocol was hashed and locked "
                "before the "
                "first answer; a run that breaks it is refused.",
            ),
            tables=(hypotheses_table(results), protocol_table(results, protocol)),
        ),
        Section(
            "hypotheses",
            "What came of the hypotheses",
            (
                "Questions that share evidence are not independent, so every interval and test takes whole "
                "clusters for the units.",
            ),
            tables=(outcome_table(results), *detail_tables(results)),
            plot=True,
        ),
        Section(
            "measures",
            "Systems and measures",
            points=tuple(measure_definitions()),
            tables=(
                measures_table(results),
                second_measures_table(results),
                effects_table(results),
                systems_table(results),
            ),
        ),
        Section(
            "naive",
            "What naive tests would have claimed",
            tuple(naive_sentences(results)),
            tables=(naive_table(results),),
        ),
        Section(
            "calibration",
            "How far the judges can be trusted",
            (
                "Each judge was tried on answers of known quality, made from the gold facts: right and wrong "
                "answers, with right and wrong evidence, in another order, among empty words, and once more.",
            ),
            tables=(trust_table(results), categories_table(results)),
        ),
        Section(
            "replication",
            "Replication by the second judge",
            tuple(replication_sentences(results)),
            tables=(agreement_table(results),),
        ),
        Section(
            "crossings",
            "Questions that cross clusters",
            (
                "How often each system is wrong, by how many borders between clusters the hops of a "
                "question cross.",
            ),
            tables=crossing_tables(results),
        )
        if results.crossings
        else None,
        Section(
            "exploratory",
            "Everything else that can be compared",
            ("Nothing was claimed about these pairs beforehand, so nothing is claimed about them now.",),
            tables=(pairs_table(results),),
        )
        if results.pairs
        else None,
        Section("limits", "Limits", points=results.limits),
        _how_to_repeat(protocol, results),
    )
    return tuple(section for section in made if section is not None)


def _how_to_repeat(protocol: Protocol, results: Results) -> Section:
    archive = f"{protocol.name}.zip"
    return Section(
        "repeat",
        "How to check and repeat it",
        (
            f"{archive} holds every question, pool, answer and verdict. The first command computes every "
            "figure of "
            "this report from them, without network or graph, and says equal, or where not. With the "
            "protocol (hash "
            f"{results.protocol_hash[:12]}) and a corpus of the same version, the second runs the "
            "comparison anew.",
        ),
        commands=(f"kg standard verify {archive}", "kg standard run FOLDER"),
    )
