"""The analysis of a judged comparison: from its rows to all figures of its report."""

from services.evaluate.statistics.groups import effective_groups
from services.evaluate.statistics.spending import spent_at
from services.standard.analysis.content import ClusterFacts, Look, Results
from services.standard.analysis.contrasts import contrast_all
from services.standard.analysis.crossings import crossing_rows
from services.standard.analysis.hypotheses import claimed_contrasts, hypothesis_results
from services.standard.analysis.implied import judge_errors
from services.standard.analysis.limits import design_limits, evidence_limits, result_limits
from services.standard.analysis.looks_so_far import tables_so_far
from services.standard.analysis.measure_rows import measure_rows
from services.standard.analysis.measures_table import MeasureTable, measure_table
from services.standard.analysis.pairs import exploratory, pairs
from services.standard.analysis.replication import replication
from services.standard.analysis.silence import silence_limits
from services.standard.archive import ROLES, Comparison
from services.standard.calibration.figures import calibration_figures
from services.standard.protocol import Protocol


def analyse(comparison: Comparison) -> Results:
    """All that a comparison shows: a pure function of its rows and its protocol, seeds included.

    Raises:
        InputError: a row is about a question that the comparison doesn't hold.
    """
    protocol, inference = comparison.protocol, comparison.protocol.inference
    judges = {
        role: calibration_figures(getattr(protocol, role), comparison.calibration[role], protocol.calibration)
        for role in ROLES
    }
    table = measure_table(comparison)
    claimed, others = claimed_contrasts(protocol), exploratory(protocol)
    *earlier, now = tables_so_far(table, comparison.look, inference)
    draws, seed, errors = inference.draws, protocol.seeds.inference, judge_errors(judges)
    before = [contrast_all(one, claimed, draws, seed, errors) for one in earlier]
    found = contrast_all(now, [*claimed, *others], draws, seed, errors)
    hypotheses = hypothesis_results(protocol, [*before, found[: len(claimed)]], judges)
    measures, crossings = measure_rows(table), crossing_rows(table)
    look, clusters = _look(comparison), _cluster_facts(protocol, table)
    return Results(
        protocol=protocol.model_dump(mode="json"),
        protocol_hash=comparison.lock.hash,
        locked_at=comparison.lock.locked_at,
        version=comparison.lock.version,
        look=look,
        clusters=clusters,
        systems=table.facts,
        measures=measures,
        hypotheses=hypotheses,
        pairs=pairs(found[len(claimed) :]),
        replication=replication(table, hypotheses, draws, seed),
        calibration={role: judges[role] for role in ROLES},
        crossings=crossings,
        limits=(
            *design_limits(protocol, comparison.runs, look, clusters),
            *evidence_limits(protocol, table.questions),
            *result_limits(table.facts, measures, hypotheses, judges, crossings),
            *silence_limits(hypotheses, table.facts),
        ),
    )


def _look(comparison: Comparison) -> Look:
    inference = comparison.protocol.inference
    look, shares = comparison.look, inference.looks
    return Look(
        number=look.number,
        looks=len(shares),
        questions=look.questions,
        planned=look.planned,
        spent=spent_at(shares[look.number - 1], inference.alpha, inference.spending),
    )


def _cluster_facts(protocol: Protocol, table: MeasureTable) -> ClusterFacts:
    sizes = table.parts.sizes.tolist()
    return ClusterFacts(
        facet=protocol.inference.clusters,
        questions=len(table.questions),
        clusters=table.parts.size,
        largest=max(sizes, default=0),
        effective=effective_groups(sizes),
    )
