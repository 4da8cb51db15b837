"""What was fixed before the run, and what the systems did, as tables."""

from services.report.html_values import Column, Entry, Row, TableView, duration, none, plural, whole
from services.standard.analysis.content import Results, SystemFacts
from services.standard.protocol import Answering, Judge, Protocol
from services.standard.report.written import count_entry, listed, share


def protocol_table(results: Results, protocol: Protocol) -> TableView:
    """Everything that the protocol fixes but the systems and the hypotheses."""
    dataset, pool, budget, inference = protocol.dataset, protocol.pool, protocol.budget, protocol.inference
    seeds = protocol.seeds
    drawn = "all questions" if dataset.questions is None else f"{dataset.questions:,} questions, drawn"
    looks = listed([share(look).replace(".0%", "%") for look in inference.looks])
    facts = (
        ("corpus", dataset.corpus),
        ("version of the questions", dataset.version),
        ("questions", drawn),
        ("candidate pool", f"the first {pool.size:,} chunks of the {pool.retriever} retriever, frozen"),
        ("evidence budget", plural(budget.evidence_tokens, "token")),
        ("answer cap", plural(budget.answer_tokens, "token")),
        ("who answers", _answering(protocol.generator)),
        ("judge", _judge(protocol.judge)),
        ("second judge", _judge(protocol.second_judge)),
        ("evidence clusters, for Cluster Recall", protocol.evidence_clusters),
        ("clusters of the inference", inference.clusters),
        ("alpha, for all hypotheses together", f"{inference.alpha:g}"),
        ("correction", "Holm" if inference.correction == "holm" else "none"),
        ("looks at the results", f"after {looks} of the questions"),
        ("draws of the bootstrap and of sign flips", whole(inference.draws)),
        (
            "seeds",
            f"sample {seeds.sample}, selection {seeds.selection}, generation {seeds.generation}, "
            f"calibration {seeds.calibration}, inference {seeds.inference}",
        ),
        ("hash of the pools", pool.hash),
        ("hash of the protocol", results.protocol_hash),
        ("locked at", results.locked_at),
        ("Hopgrade", results.version),
    )
    return TableView(
        "The protocol, fixed before the first answer",
        "what",
        (Column("as fixed", number=False),),
        tuple(Row(what, (Entry(as_fixed, code=what.startswith("hash")),)) for what, as_fixed in facts),
    )


def hypotheses_table(results: Results) -> TableView:
    """The hypotheses as they were written down."""
    return TableView(
        "The hypotheses, written down before the first answer",
        "hypothesis",
        (Column("claim", number=False), Column("smallest difference of interest")),
        tuple(
            Row(one.id, (Entry(one.claim), Entry(f"{100 * one.smallest:g} points")))
            for one in results.hypotheses
        ),
    )


def systems_table(results: Results) -> TableView:
    """What each system did and took."""
    columns = (
        Column("evidence chosen by", number=False),
        *map(Column, ("answers", "errors", "abstained", "evidence tokens", "answer tokens")),
        *map(Column, ("tokens in", "tokens out", "time", "cost")),
    )
    return TableView(
        "What the systems did",
        "system",
        columns,
        tuple(Row(one.name, _facts(one)) for one in results.systems),
        (
            "An error counts as a wrong answer. Tokens of evidence and answer are means over answers without "
            "error, beside the most evidence of one; tokens in and out are what a model was billed, 0 for "
            "rules.",
        ),
    )


def _facts(one: SystemFacts) -> tuple[Entry, ...]:
    missing = (f"{one.missing:,} missing",) if one.missing else ()
    evidence = (
        none("no answer")
        if one.evidence_tokens is None
        else Entry(whole(one.evidence_tokens), (f"most {one.most_evidence_tokens:,}",))
    )
    return (
        Entry(one.origin),
        Entry(whole(one.answers), missing),
        count_entry(one.errors),
        count_entry(one.abstained),
        evidence,
        none("no answer") if one.answer_tokens is None else Entry(f"{one.answer_tokens:.1f}"),
        count_entry(one.input_tokens),
        count_entry(one.output_tokens),
        Entry(duration(one.seconds)),
        none("no price is set") if one.cost is None else Entry(f"{one.cost:,.2f}"),
    )


def _answering(one: Answering) -> str:
    prompts = f", prompts {', '.join(one.prompts)}" if one.prompts else ""
    return f"{one.kind}: {one.name}{prompts}, temperature {one.temperature:g}"


def _judge(one: Judge) -> str:
    prompt = f", prompt {one.prompt}" if one.prompt else ""
    heat = f", temperature {one.temperature:g}" if one.kind == "model" else ""
    return f"{'rules' if one.kind == 'rules' else 'model'}: {one.name}{prompt}{heat}"
