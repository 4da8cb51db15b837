"""What was fixed before the run, and what the systems did, as tables."""

from collections.abc import Mapping

from services.questions.spans.facets import FACET_NAMES
from services.report.html_values import Column, Entry, Row, TableView, duration, listed, none, plural, whole
from services.standard.analysis.content import Results, SystemFacts
from services.standard.protocol import (
    Answering,
    Calibration,
    Inference,
    Judge,
    Protocol,
    SelectorName,
    SystemUnderTest,
)
from services.standard.report.written import count_entry, share

_CHOSEN_BY: Mapping[SelectorName, str] = {
    "top-k": "the retriever's score alone",
    "mmr": "maximal marginal relevance, likeness to the question less likeness to what is already chosen",
    "genetic": "a genetic search for the set that best covers clusters, links between hops, and the question",
    "graph": "the corpus' graph retriever, the rest by score",
}
"""How each selector of ours chooses, as a reader who doesn't know its name is told."""


def protocol_table(results: Results, protocol: Protocol) -> TableView:
    """Everything that the protocol fixes but the systems and the hypotheses."""
    dataset, pool, budget, inference = protocol.dataset, protocol.pool, protocol.budget, protocol.inference
    seeds = protocol.seeds
    drawn = "all questions" if dataset.questions is None else f"{dataset.questions:,} questions, drawn"
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
        ("a judge is tried", _trial(protocol.calibration)),
        ("a judge is rejected", _rejected(protocol.calibration)),
        ("evidence clusters, for Cluster Recall", FACET_NAMES[protocol.evidence_clusters][1]),
        ("clusters of questions, for intervals and tests", f"by {FACET_NAMES[inference.clusters][1]}"),
        ("alpha, for all hypotheses together", f"{inference.alpha:g}"),
        ("correction", "Holm" if inference.correction == "holm" else "none"),
        ("looks at the results", _looks(protocol.inference)),
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


def compared(protocol: Protocol) -> list[str]:
    """What each system is, in a sentence."""
    return [f"{one.name}: {_what_it_is(one)}." for one in protocol.systems]


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
        *map(Column, ("answers", "errors", "abstained", "evidence tokens", "answer tokens")),
        *map(Column, ("tokens of a model", "time")),
    )
    return TableView(
        "What the systems did",
        "system",
        columns,
        tuple(Row(one.name, _facts(one)) for one in results.systems),
        (
            "An error counts as a wrong answer. Tokens of evidence and answer are means over answers without "
            "error, beside the most evidence of one; those of a model are what it was billed.",
        ),
    )


def _what_it_is(one: SystemUnderTest) -> str:
    if one.selector is None:
        return f"the run {one.run} of another system, held to the same pool and budget"
    return f"evidence chosen from the pool by {_CHOSEN_BY[one.selector]}; read by the system {one.system}"


def _facts(one: SystemFacts) -> tuple[Entry, ...]:
    missing = (f"{one.missing:,} missing",) if one.missing else ()
    evidence = (
        none("no answer")
        if one.evidence_tokens is None
        else Entry(whole(one.evidence_tokens), (f"most {one.most_evidence_tokens:,}",))
    )
    return (
        Entry(whole(one.answers), missing),
        count_entry(one.errors),
        count_entry(one.abstained),
        evidence,
        none("no answer") if one.answer_tokens is None else Entry(f"{one.answer_tokens:.1f}"),
        _billed(one),
        Entry(duration(one.seconds)),
    )


def _billed(one: SystemFacts) -> Entry:
    if not one.input_tokens:
        return none("no model")
    cost = "no price is set" if one.cost is None else f"cost {one.cost:,.2f}"
    return Entry(f"{one.input_tokens:,} in", (f"{one.output_tokens:,} out", cost))


def _looks(one: Inference) -> str:
    if len(one.looks) == 1:
        return "one, after all questions"
    shares = listed([share(look).replace(".0%", "%") for look in one.looks])
    spending = {"obrien-fleming": "O'Brien and Fleming", "pocock": "Pocock"}[one.spending]
    return f"after {shares} of the questions; alpha is spent as by {spending}"


def _trial(one: Calibration) -> str:
    times = plural(one.repeats, "time")
    return f"on answers of known quality to {plural(one.questions, 'question')}, each judged {times}"


def _rejected(one: Calibration) -> str:
    return (
        f"below discernment {one.least_discernment:g} or consistency {one.least_consistency:g}, or with a "
        f"bias above {one.most_bias:g}"
    )


def _answering(one: Answering) -> str:
    if one.kind == "rules":
        return f"rules: {one.name}" if one.name != "rules" else "rules, without a language model"
    prompts = f", prompts {', '.join(one.prompts)}" if one.prompts else ""
    return f"{one.kind}: {one.name}{prompts}, temperature {one.temperature:g}"


def _judge(one: Judge) -> str:
    prompt = f", prompt {one.prompt}" if one.prompt else ""
    heat = f", temperature {one.temperature:g}" if one.kind == "model" else ""
    return f"{'rules' if one.kind == 'rules' else 'model'}: {one.name}{prompt}{heat}"
