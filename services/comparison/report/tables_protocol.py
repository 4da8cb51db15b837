"""What was fixed before the run, and what the systems did, as tables.

How far the judges can be trusted, alone and beside each other, as tables.
"""

from collections.abc import Iterator, Mapping, Sequence

from services.comparison.analysis.content import AgreementRow, Results, SystemFacts
from services.comparison.judging.calibration import Bias, CalibrationFigures, CategoryFigure, Figure
from services.comparison.judging.labels import LabelledFigures
from services.comparison.protocol import (
    Answering,
    Calibration,
    Inference,
    Judge,
    Protocol,
    SelectorName,
    SystemUnderTest,
)
from services.comparison.report.tables_hypotheses import JUDGE_WORDS, count_entry, share, share_range
from services.questions.spans.facets import FACET_NAMES
from services.report.html_values import (
    Column,
    Entry,
    Row,
    TableView,
    duration,
    listed,
    none,
    plural,
    signed,
    whole,
)
from services.statistics.intervals import Interval


def trust_table(results: Results) -> TableView:
    """One column a judge: how well he tells right from wrong, what sways him, and whether he is taken."""
    columns = {role: list(_trust(found)) for role, found in results.calibration.items()}
    labels = [label for label, _ in next(iter(columns.values()), [])]
    return TableView(
        "Calibration on answers of known quality",
        "figure",
        tuple(
            Column(f"{JUDGE_WORDS[role]}: {found.judge}", number=False)
            for role, found in results.calibration.items()
        ),
        tuple(
            Row(label, tuple(entries[place][1] for entries in columns.values()))
            for place, label in enumerate(labels)
        ),
        (
            "Intervals are 95%, by cluster. Sensitivity is the share of right answers called right, "
            "specificity that of the others not called so; discernment is their sum less 1, of hops and "
            "chunks that of calling their evidence shown, and them support. A bias is the change of the "
            "mean score, which lies in 0 to 1, when only order, length or wording changes.",
        ),
    )


def reasons(results: Results) -> list[str]:
    """For each judge what the calibration comes to, and why, in sentences."""
    return [
        f"The {JUDGE_WORDS[role]}, {found.judge}, is {found.verdict}. {' '.join(found.reasons)}".strip()
        for role, found in results.calibration.items()
    ]


def categories_table(results: Results) -> TableView:
    """The mean score that each judge gave to answers of each known quality."""
    figures = results.calibration
    names = list(dict.fromkeys(one.category for found in figures.values() for one in found.categories))
    by_role: dict[str, dict[str, CategoryFigure]] = {
        role: {one.category: one for one in found.categories} for role, found in figures.items()
    }

    def entry(role: str, name: str) -> Entry:
        found = by_role[role].get(name)
        if found is None or found.mean is None:
            return none("not tried")
        failed = f", {found.failed:,} without verdict" if found.failed else ""
        return Entry(f"{found.mean:.2f}", (f"deserved {found.expected:.2f}, n {found.n:,}{failed}",))

    return TableView(
        "Mean score by known quality",
        "answer, evidence",
        tuple(Column(f"{JUDGE_WORDS[role]}: {found.judge}") for role, found in figures.items()),
        tuple(Row(name, tuple(entry(role, name) for role in figures)) for name in names),
    )


def agreement_table(results: Results) -> TableView:
    """Where the judges say the same of an answer, and where not."""
    told = results.replication
    columns = ("answers", "agree", "kappa", "right only by the judge", "right only by the second", "flips")
    return TableView(
        f"{told.judge} and {told.second_judge} on the same answers",
        "system",
        tuple(map(Column, columns)),
        tuple(Row(one.system, _agreement(one), total=one.system == "all") for one in told.agreement),
        (
            "Over answers that both judged; abstentions and errors are left out, as they say nothing of a "
            "judge. Kappa is agreement beyond chance, with a 95% interval by cluster: 1 is perfect, 0 is "
            "chance.",
        ),
    )


def labels_table(found: Sequence[LabelledFigures]) -> TableView:
    """How far each judge errs by people's labels, over all systems and by system."""
    columns = ("answers", "sensitivity", "specificity", "discernment", "bias", "kappa")
    return TableView(
        "Judges held against people's labels",
        "judge, system",
        tuple(map(Column, columns)),
        tuple(Row(f"{one.judge}, {one.system}", _labelled(one), total=one.system == "all") for one in found),
        (
            "Sensitivity: of what people call right, called right too; specificity: of the others, not; "
            "bias: by how much the judge makes the accuracy too large. 95% intervals by cluster.",
        ),
    )


def _labelled(one: LabelledFigures) -> tuple[Entry, ...]:
    figures = (one.sensitivity, one.specificity, one.discernment, one.bias)
    return (
        Entry(whole(one.n)),
        *(_figure(found, plain=True) for found in figures),
        _kappa(one.kappa, one.kappa_interval, "undefined"),
    )


def _kappa(value: float | None, interval: Interval | None, why: str) -> Entry:
    span = () if interval is None else (f"{interval.low:.2f} to {interval.high:.2f}",)
    return none(why) if value is None else Entry(f"{value:.2f}", span)


def _trust(found: CalibrationFigures) -> Iterator[tuple[str, Entry]]:
    yield "verdict", Entry(found.verdict)
    yield "judgements", Entry(whole(found.rows), (f"of {found.questions:,} questions",))
    yield "without a verdict", Entry(whole(found.failed))
    yield "sensitivity", _figure(found.sensitivity)
    yield "specificity", _figure(found.specificity)
    yield "discernment (Youden's J)", _figure(found.discernment, plain=True)
    yield "discernment of hops", _figure(found.hops, plain=True)
    yield "discernment of supporting chunks", _figure(found.supports, plain=True)
    if (real := found.of_a_run) is not None:
        yield "sensitivity on answers of a run", _figure(real.sensitivity)
        yield "specificity on answers of a run", _figure(real.specificity)
        yield "discernment on answers of a run", _figure(real.discernment, plain=True)
    yield "position bias", _bias(found.position)
    yield "length bias", _bias(found.length)
    yield "self-preference", _bias(found.self_preference)
    yield "consistency under repetition", _figure(found.consistency)


def _figure(found: Figure | None, plain: bool = False) -> Entry:
    if found is None:
        return none("not measured")
    if plain:
        return Entry(f"{found.value:.2f}", (f"{found.low:.2f} to {found.high:.2f}, n {found.n:,}",))
    span = share_range(Interval(found.low, found.high))
    return Entry(share(found.value), (f"{span}, n {found.n:,}",))


def _bias(found: Bias) -> Entry:
    if found.worst is None:
        return none(found.why or "not measured")
    parts = (("right answers", found.right), ("others", found.wrong))
    notes = tuple(
        f"{label} {signed(part.value)} ({signed(part.low)} to {signed(part.high)})"
        for label, part in parts
        if part is not None
    )
    return Entry(signed(found.worst), notes)


def _agreement(one: AgreementRow) -> tuple[Entry, ...]:
    agreed = one.both_right + one.both_wrong
    unjudged = (f"{one.unjudged:,} not by both",) if one.unjudged else ()
    return (
        Entry(whole(one.n), unjudged),
        Entry(share(agreed / one.n)) if one.n else none("no answers"),
        _kappa(one.kappa, one.interval, one.why or "undefined"),
        Entry(whole(one.to_wrong)),
        Entry(whole(one.to_right)),
        Entry(whole(one.flips)),
    )


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
    real = "" if one.run is None else f", and on answers of run {one.run}"
    return f"on answers of known quality to {plural(one.questions, 'question')}, each judged {times}{real}"


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
