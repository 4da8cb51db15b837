"""The report of a judged comparison as sections in the order in which a reviewer reads them."""

from dataclasses import dataclass

from services.report.html_values import TableView
from services.standard.analysis.content import Results
from services.standard.folder import archive_name
from services.standard.protocol import Protocol
from services.standard.report.sentences import (
    clusters_sentence,
    finding,
    headline,
    measure_definitions,
    naive_sentences,
    replication_sentences,
)
from services.standard.report.tables_crossings import crossing_tables
from services.standard.report.tables_details import detail_tables
from services.standard.report.tables_hypotheses import naive_table, outcome_table, pairs_table
from services.standard.report.tables_judges import (
    agreement_table,
    categories_table,
    reasons,
    trust_table,
)
from services.standard.report.tables_measures import effects_table, measures_table, second_measures_table
from services.standard.report.tables_protocol import (
    compared,
    hypotheses_table,
    protocol_table,
    systems_table,
)


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
                "the same budget of evidence and the same cap on the answer. The protocol was hashed and "
                "locked before the first answer; a run that breaks it is refused.",
                "These were compared:",
            ),
            tuple(compared(protocol)),
            tables=(hypotheses_table(results), protocol_table(results, protocol)),
        ),
        Section(
            "hypotheses",
            "What came of the hypotheses",
            (
                "Questions that share evidence are not independent, so every interval and test takes whole "
                "clusters for the units.",
                clusters_sentence(results.clusters),
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
            tuple(reasons(results)),
            tables=(trust_table(results), categories_table(results)),
        ),
        Section(
            "replication",
            "Replication by the second judge",
            tuple(replication_sentences(results)),
            tables=(agreement_table(results),),
        ),
        _crossings(results),
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


def _crossings(results: Results) -> Section:
    told = (
        "How often each system is wrong, by how many borders between clusters the hops of a question cross: "
        "of place, time and domain as the articles say, and of clusters of the graph."
    )
    unknown = (
        "It is not known of these questions which borders their hops cross. kg questions make counts the "
        "borders of those that it makes."
    )
    return Section(
        "crossings",
        "Questions that cross clusters",
        (told if results.crossings else unknown,),
        tables=crossing_tables(results),
    )


def _how_to_repeat(protocol: Protocol, results: Results) -> Section:
    look, looks = results.look.number, results.look.looks
    archive = archive_name(protocol.name, look, looks)
    only = "" if look == looks else f" --look {look}"
    return Section(
        "repeat",
        "How to check and repeat it",
        (
            f"{archive} holds every question, pool, answer and verdict. The first command computes every "
            "figure of this report from them, without network or graph, and says equal, or where not. The "
            f"others take protocol (hash {results.protocol_hash[:12]}) and pools out of it and run the "
            "comparison anew, where there is a corpus of the same version; a run from outside must be there "
            "too.",
        ),
        commands=(
            f"kg standard verify {archive}",
            f"unzip {archive} protocol.json pool.jsonl -d again",
            "mv again/protocol.json again/standard.yaml",
            "gzip again/pool.jsonl",
            f"kg standard run again{only}",
        ),
    )
