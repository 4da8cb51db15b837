"""`kg questions compose`: multi-hop questions put together from atomic ones, step by step.

What `kg questions compose` shows in a terminal: where questions fell, and their domains.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from shlex import quote
from typing import Annotated

import typer

from cli.console import number_table, out, print_json, remark, say
from cli.options import MAX_SEED, MOST, AsJson, Corpus, DryRun, NoPreflight, split_list
from cli.preflight import preflight, print_parts, say_nothing_was_sent
from cli.question_tables import composed_tables
from cli.remarks import report_spending
from cli.session import existing_corpus, open_session
from kg.embed.choose import embedder_of
from kg.llm.protocol import Estimate
from kg.llm.roles import role_budget
from kg.store.leases import writing_to
from services.preflight.job_needs import compose_needs
from services.questions.choice import parse_worker
from services.questions.composed.estimate import ASSUMPTION, estimate_stage
from services.questions.composed.pipeline import ComposeSize, parse_across, parse_depths
from services.questions.composed.selection import AtomFunnel, ComposedFunnel, fair_share, read_composed_funnel
from services.questions.composed.stage import ComposeJob, compose_stage
from services.questions.dataset import dataset_version
from services.questions.funnel import in_order
from services.questions.hand_work import read_hand_work

app = typer.Typer(rich_markup_mode=None)


def print_composed(corpus: str, found: ComposedFunnel, share: float) -> None:
    """The atomic questions, the composed ones by kind and hops, and their domains."""
    _print_atoms(corpus, found.atoms)
    _print_pairs(found)
    filters = in_order({name for column in found.columns for name in column.fell})
    for shown in composed_tables(found.columns, filters):
        out.print(shown)
    _print_domains(found.domains, share)
    for number, hops in ((number, hops) for hops, number in found.over.items() if number):
        say(
            f"{number:,} more questions of {hops} hops passed than were wanted; longer ones begin there.",
            "dim",
        )
    if found.mended:
        say(f"{found.mended:,} passed at their second try, in other words.", "dim")


def _print_atoms(corpus: str, atoms: AtomFunnel) -> None:
    rows: list[list[object]] = [["made", atoms.made]]
    rows += [[f"- {name}", atoms.fell[name]] for name in in_order(atoms.fell)]
    rows.append(["kept", atoms.kept])
    title = f"Atomic questions of {corpus!r}, from {atoms.chunks:,} chunks"
    out.print(number_table(title, ("",), ("questions",), rows))
    if atoms.not_made:
        text = ", ".join(f"{reason} ({number:,})" for reason, number in atoms.not_made.items())
        say(f"Of some facts or chunks no question was made: {text}.", "dim")


def _print_pairs(found: ComposedFunnel) -> None:
    heads = [f"{hops} hops" for hops in found.tried]
    rows: list[list[object]] = [
        ["pairs tried", *found.tried.values()],
        ["- not joined", *(found.not_joined.get(hops, 0) for hops in found.tried)],
    ]
    if heads:
        out.print(number_table("Questions so far, each with one atomic question", ("",), heads, rows))
    if found.reasons:
        text = ", ".join(f"{reason} ({number:,})" for reason, number in found.reasons.items())
        say(f"Most were not joined because: {text}.", "dim")


def _print_domains(domains: Mapping[str, Mapping[int, int]], share: float) -> None:
    depths = sorted({hops for numbers in domains.values() for hops in numbers})
    if not depths:
        return
    total = sum(sum(numbers.values()) for numbers in domains.values())
    rows: list[list[object]] = [
        [name, *(numbers.get(hops, 0) for hops in depths), f"{sum(numbers.values()) / total:.1%}"]
        for name, numbers in sorted(domains.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    ]
    heads = [*(f"{hops} hops" for hops in depths), "share"]
    out.print(number_table("Kept questions by domain", ("domain",), heads, rows))
    allowed = fair_share(share, len(domains))
    if float(allowed) > share:
        say(
            f"With {len(domains)} {'domain' if len(domains) == 1 else 'domains'} none can stay below "
            f"{share:.0%} of a kind: each has {float(allowed):.0%} at most.",
            "dim",
        )


USUAL = ComposeSize()

Hops = Annotated[
    str,
    typer.Option(help="Numbers of hops to keep, of 2, 3 and 4, with commas."),
]
PerHops = Annotated[
    int,
    typer.Option(
        "--per-hops",
        min=1,
        max=MOST,
        help="Kept questions of each number of hops at most: so many sequential ones, so many parallel ones.",
    ),
]
Share = Annotated[
    float,
    typer.Option(
        "--max-domain-share",
        min=0.01,
        max=1.0,
        help="No domain (category of articles) has more than this share of the questions of a kind and a "
        "number of hops; with few domains, an equal share each.",
    ),
]


@app.command(epilog="Example: kg questions compose --corpus mine --hops 2,3 --per-hops 30")
def compose(
    corpus: Corpus = None,
    generator: Annotated[
        str,
        typer.Option(
            help="Who writes, joins and checks: rules, or model (HOPGRADE_GENERATE_MODEL, "
            "HOPGRADE_ANSWER_MODEL, HOPGRADE_JUDGE_MODEL)."
        ),
    ] = "rules",
    hops: Hops = "2,3,4",
    per_hops: PerHops = USUAL.per_hops,
    chunks: Annotated[
        int | None,
        typer.Option(
            "--chunks",
            min=1,
            max=MOST,
            help="Make atomic questions of so many chunks at most; with models this bounds what is spent. "
            "Default: as many as it takes.",
            show_default=False,
        ),
    ] = None,
    across: Annotated[
        str,
        typer.Option(
            "--across",
            help="What the hops of a question come from: articles, each another one; or chunks, which may "
            "be of one article.",
        ),
    ] = USUAL.across,
    max_domain_share: Share = USUAL.max_domain_share,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of every draw.")] = USUAL.seed,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Compose anew although nothing changed; a model is asked again where it failed."
        ),
    ] = False,
    no_preflight: NoPreflight = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Compose sequential and parallel questions of 2, 3 and 4 hops from atomic ones of single chunks.

    Their hops are read in different articles; --across chunks lets one article have several. Each keeps the
    atomic question of every hop and the question of its first hops. Composed questions come beside those that
    the corpus has; with other options, those composed before are deleted with what was answered to them.
    """
    wanted = ComposeSize(
        parse_depths(split_list(hops)), per_hops, max_domain_share, seed, chunks, parse_across(across)
    )
    worker = parse_worker(generator)
    with open_session() as session:
        graph, settings = session.graph, session.settings
        name = existing_corpus(graph, corpus)
        budget = role_budget("generate", settings) if worker == "model" else None
        embedder = embedder_of(graph, name, settings)
        job = ComposeJob(graph, name, wanted, worker, settings, embedder, session.progress, budget)
        if dry_run:
            _print_estimate(estimate_stage(job), as_json)
            return
        with writing_to(graph, name) as mine, report_spending(budget, session.progress):
            if worker == "model":
                costs = partial(estimate_stage, job)
                preflight(settings, compose_needs(), costs, session.progress, budget, skip=no_preflight)
            outcome = compose_stage(replace(job, graph=mine), again)
        found = read_composed_funnel(graph, name)
        version = dataset_version(graph, name)
        runs = read_hand_work(graph, name).runs if outcome.ran else ()
    if as_json:
        print_json({"corpus": name, "dataset": version, **asdict(found)})
    else:
        print_composed(name, found, wanted.max_domain_share)
        say(f"Version {version}. Look at them: kg questions list --kind sequential,parallel", "dim")
    if found.not_checked:
        remark(
            f"note: the models left {found.not_checked:,} requests without a usable answer. "
            f"Ask for these again by the same command: kg questions compose --generator model "
            f"--corpus {quote(name)}"
        )
    if runs:
        remark(
            f"note: the questions have a new version; runs on older ones ({', '.join(runs)}) are made anew "
            "when they are started again under the same name."
        )


def _print_estimate(parts: Mapping[str, Estimate], as_json: bool) -> None:
    if as_json:
        print_json({step: asdict(part) for step, part in parts.items()})
    elif not parts:
        say("No model is asked: questions are composed by rules.")
    else:
        print_parts(parts)
        say(ASSUMPTION, "dim")
        say_nothing_was_sent()
