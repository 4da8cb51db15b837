"""`kg run judge` and `kg run revise`: verdicts on answers, by models and by hand."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated, get_args

import typer

from cli.completion import complete_questions, complete_runs, whole_id
from cli.console import out, print_json, remark, say, table
from cli.options import MAX_SEED, MOST, AsJson, Corpus, DryRun, NoPreflight
from cli.preflight import preflight, print_parts, say_nothing_was_sent
from cli.remarks import report_spending
from cli.session import Session, existing_corpus, open_session, read_settings, user_name
from kg.errors import InputError, SettingsError
from kg.ids import run_id
from kg.llm.protocol import Estimate, Model
from kg.llm.roles import open_model, role_budget
from kg.store.leases import answering_in, writing_to
from services.answers import RULES
from services.comparison.collect import protocol_questions
from services.comparison.protocol_file import read_protocol
from services.evaluate.judge import (
    JudgeOptions,
    Judging,
    Scale,
    estimate_judging,
    judge_run,
    verdict_source,
)
from services.evaluate.judge_by_hand import (
    PEOPLE,
    JudgePair,
    Revision,
    corpus_of_answer,
    find_answer,
    read_agreements,
    read_judge_pairs,
    read_labels,
    record_labels,
    revise,
    undo_revision,
    write_sample,
)
from services.preflight.asking import check_rule, judged_by, let_rule_judge
from services.preflight.job_needs import judge_needs
from services.runs.records import list_runs

app = typer.Typer(rich_markup_mode=None)

FAILURES_SHOWN = 5
VERDICTS = {"right": True, "wrong": False}


@app.command(epilog="Example: kg run judge single-step --judge some-model --corpus ormelund")
def judge(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name of the run.", autocompletion=complete_runs)],
    corpus: Corpus = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="MODEL",
            help="The model that judges, or a rule: match or exact. Default: HOPGRADE_JUDGE_MODEL, or "
            "HOPGRADE_MODEL.",
            show_default=False,
        ),
    ] = None,
    scale: Annotated[
        str, typer.Option(help="binary: right or wrong; 0-2: 0, 1 or 2, right from 1.")
    ] = "binary",
    second: Annotated[
        bool, typer.Option("--second", help="Compare only: what counts as right stays as it is.")
    ] = False,
    prefer: Annotated[
        bool, typer.Option("--prefer", help="Let this judge decide what is right, whoever judged before.")
    ] = False,
    same_judge: Annotated[
        bool, typer.Option("--same-judge", help="Let a model judge its own answers.")
    ] = False,
    exact_too: Annotated[
        bool,
        typer.Option("--exact-too", help="Ask about exact matches too. Default: they are right unasked."),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST,
            help="Ask about so many answers at most; with --second a sample that has of each kind, number of "
            "hops and what counts now its share. Default: all.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Seed of the sample of --second --limit.")
    ] = 0,
    no_preflight: NoPreflight = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Let a model judge the answers of a run; a second judge shows how far the first can be trusted.

    The first judge of a run decides what counts as right, and its matrix and error rates follow. Abstentions
    and exact matches are judged without a call, answers that failed not at all. The same command goes on
    where it was, and asks again where the judge failed. --judge match and --judge exact ask no model: what
    counts as right goes by answer match, as in a run that nobody has judged, or by exact match.
    """
    options = JudgeOptions(_scale(scale), second, prefer, same_judge, exact_too, limit, seed)
    if model in RULES:
        check_rule(RULES[model], options)
        _follow(run, corpus, RULES[model], dry_run, as_json)
        return
    settings = judged_by(model, read_settings())
    budget = role_budget("judge", settings)
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        lease = nullcontext(session.graph) if dry_run else answering_in(session.graph, name, run)
        with (
            lease as graph,
            report_spending(budget, session.progress),
            open_model("judge", settings, budget) as opened,
        ):
            if dry_run:
                estimate = estimate_judging(graph, name, run, opened, options)
                _print_estimate(estimate, opened.name, as_json)
                return
            costs = partial(_costs, session, name, run, opened, options)
            needs = judge_needs(options.scale)
            preflight(settings, needs, costs, session.progress, budget, skip=no_preflight)
            found = judge_run(graph, name, run, opened, options, session.progress)
        pairs = read_judge_pairs(session.graph, run_id(name, run))
    if as_json:
        print_json({"corpus": name, **asdict(found), "agreements": [pair.as_dict() for pair in pairs]})
        return
    _print_judging(found, _again(found, name, model, options))
    _print_pairs(pairs)


def _follow(run: str, corpus: str | None, rule: str, dry_run: bool, as_json: bool) -> None:
    """Let a rule decide in a run, without a call."""
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        if not dry_run:
            let_rule_judge(session.graph, name, run, rule, session.progress)
        follows = verdict_source(session.graph, name, run)
        (row,) = [row for row in list_runs(session.graph, name) if row["name"] == run]
    if as_json:
        told = {
            "corpus": name,
            "run": run,
            "answers": row["answers"],
            "right": row["right"],
            "follows": follows,
        }
        print_json(told)
        return
    say(f"Right: {row['right']:,} of {row['answers']:,} answers of run {run!r}, by {follows}")


def _costs(
    session: Session, corpus: str, run: str, judge_model: Model, options: JudgeOptions
) -> Mapping[str, Estimate]:
    return {"judging": estimate_judging(session.graph, corpus, run, judge_model, options)}


@app.command("revise", epilog="Example: kg run revise answer-0123456789abcdef right --why 'another name'")
def revise_(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ANSWER-ID] right|wrong",
            help="The answer, unless --run and --question name it, and what it is.",
            show_default=False,
        ),
    ] = None,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="Why, for whoever reads it later.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take the verdict by hand back.")] = False,
    run: Annotated[
        str | None,
        typer.Option(
            help="Name of the run whose answer it is.", show_default=False, autocompletion=complete_runs
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Id of the question that was answered.",
            show_default=False,
            autocompletion=complete_questions,
        ),
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Who says so. Default: your user name.", show_default=False)
    ] = None,
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Say by hand whether an answer is right; this wins over every judge, now and later."""
    given = list(words or ())
    correct = None if undo else _verdict_in(given)
    if len(given) != (run is None and question is None) or (run is None) != (question is None):
        raise SettingsError(
            "it takes either the id of an answer, or --run and --question.",
            "For example: kg run revise right --run single-step --question ID --why TEXT",
        )
    if correct is not None and not why.strip():
        raise SettingsError(
            "a verdict by hand needs a reason, for whoever reads it later.", "Add --why TEXT."
        )
    with open_session() as session:
        if run is not None and question is not None:
            of = existing_corpus(session.graph, corpus)
            whole = whole_id(session.graph, "question", question, of)
            given = [find_answer(session.graph, of, run, whole)]
        else:
            given = [whole_id(session.graph, "answer", given[0])]
        name = corpus_of_answer(session.graph, given[0])
        with writing_to(session.graph, name) as graph:
            if correct is None:
                done = undo_revision(graph, given[0], session.progress)
            else:
                done = revise(
                    graph, given[0], correct, why, user_name() if by is None else by, session.progress
                )
    if as_json:
        print_json(asdict(done))
        return
    _print_revised(done)


@app.command(epilog="Example: kg run sample single-step --answers 60 --out labels.jsonl --corpus ormelund")
def sample(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name of the run.", autocompletion=complete_runs)],
    file: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the sample is written.")],
    answers: Annotated[
        int, typer.Option("--answers", min=1, max=MOST, help="So many answers, or all there are.")
    ] = 60,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the draw.")] = 0,
    standard: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of a judged comparison: only answers to its questions, no abstention, so that its "
            "judges are tried on them.",
            show_default=False,
        ),
    ] = None,
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Draw answers of a run for people to label, by which its judge is held against them.

    Kinds, numbers of hops and what counts as right have their share in the sample. It is written as JSON
    lines without any verdict; write right or wrong into label, and take it in by kg run label. Also: kg
    review sample.
    """
    with open_session() as session:
        protocol = None if standard is None else read_protocol(standard)
        about = None if protocol is None else protocol.dataset.corpus
        name = existing_corpus(session.graph, corpus or about)
        if about not in {None, name}:
            raise SettingsError(
                f"the comparison in {standard} is about corpus {about!r}, not {name!r}.",
                "Leave out --corpus, or --standard.",
            )
        only = None if protocol is None else frozenset(protocol_questions(session.graph, protocol))
        count = write_sample(session.graph, name, run, answers, seed, file, only)
    if as_json:
        print_json({"corpus": name, "run": run, "answers": count, "file": str(file)})
        return
    then = f"kg run label {quote(run)} {quote(str(file))} --corpus {quote(name)}"
    say(f"{count:,} answers written to {file}. Label them, then: {then}")


@app.command(epilog="Example: kg run label single-step labels.jsonl --by ana --corpus ormelund")
def label(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name of the run.", autocompletion=complete_runs)],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of kg run sample, with labels.")],
    by: Annotated[
        str | None, typer.Option("--by", help="Who labelled. Default: your user name.", show_default=False)
    ] = None,
    corpus: Corpus = None,
    as_json: AsJson = False,
) -> None:
    """Take in what people said of a sample: as verdicts by hand, and as what judges are compared with.

    kg run report then has kappa of people with each judge, with an interval that takes only articles for
    independent.
    """
    labels = read_labels(file)
    if not labels:
        raise InputError(
            f"no answer in {file} has a label.", 'Write right or wrong at "label", of some at least.'
        )
    with open_session() as session:
        name = existing_corpus(session.graph, corpus)
        with answering_in(session.graph, name, run) as graph:
            who = user_name() if by is None else by
            count = record_labels(graph, name, run, labels, who, session.progress)
        found = [one for one in read_agreements(session.graph, name, run) if one.first == PEOPLE]
    if as_json:
        print_json(
            {"corpus": name, "run": run, "labels": count, "agreements": [asdict(one) for one in found]}
        )
        return
    say(f"{count:,} labels taken in; they win over every judge.")
    for one in found:
        kappa = "undefined" if one.kappa is None else f"{one.kappa:.2f}"
        span = "" if one.interval is None else f", 95 % {one.interval.low:.2f} to {one.interval.high:.2f}"
        say(f"people and {one.second}: {one.agreed:,} of {one.n:,} agreed, kappa {kappa}{span}")


def _verdict_in(words: list[str]) -> bool:
    """Take the verdict off the end of what was given."""
    text = words.pop() if words else ""
    if text not in VERDICTS:
        raise SettingsError(
            f"{text!r} is no verdict." if text else "there is no verdict.",
            "End with right or wrong, or give --undo: kg run revise ANSWER-ID right --why TEXT",
        )
    return VERDICTS[text]


def _scale(given: str) -> Scale:
    for scale in get_args(Scale):
        if given == scale:
            found: Scale = scale
            return found
    raise SettingsError(f"{given!r} is no scale.", f"Use one of {', '.join(get_args(Scale))}.")


def _print_estimate(estimate: Estimate, judge_model: str, as_json: bool) -> None:
    if as_json:
        print_json({"judge": judge_model, **asdict(estimate)})
        return
    print_parts({f"judge {judge_model}": estimate})
    say_nothing_was_sent()


def _print_judging(found: Judging, again: str) -> None:
    say(f"Run {found.run!r} by {found.judge} ({found.scale}, {found.prompt})", "bold")
    say(
        f"{found.judged:,} of {found.answers:,} answers judged"
        f"{_also((found.plain, 'without a call'), (found.errors, 'failed and count as wrong'))}"
    )
    if found.judged:
        say(
            f"Right: {found.right:,} of {found.judged:,} ({100 * found.right / found.judged:.1f} %); "
            f"by exact match {found.exact:,} of them"
        )
    say(f"What counts as right follows: {found.follows}")
    if found.failures:
        remark(
            f"note: the judge gave no usable reply about {len(found.failures):,} "
            f"{'answer' if len(found.failures) == 1 else 'answers'}, which answer match decides for now. "
            f"Ask again: {again}"
        )
        for failure in found.failures[:FAILURES_SHOWN]:
            remark(f"  {failure.place}: {failure.reason}")
    if found.left:
        remark(f"note: {found.left:,} answers are left for the next time: {again}")


def _again(found: Judging, corpus: str, model: str | None, options: JudgeOptions) -> str:
    """The command that goes on where this judging ended: the same judge, on the same scale."""
    flags = (
        ("second", options.second),
        ("prefer", options.prefer),
        ("same-judge", options.same_judge),
        ("exact-too", options.exact_too),
    )
    judge_model = "" if model is None else f" --judge {quote(model)}"
    scale = "" if options.scale == "binary" else f" --scale {options.scale}"
    given = "".join(f" --{name}" for name, said in flags if said)
    return f"kg run judge {quote(found.run)}{judge_model}{scale}{given} --corpus {quote(corpus)}"


def _also(*parts: tuple[int, str]) -> str:
    return "".join(f", {number:,} {what}" for number, what in parts if number)


def _print_pairs(pairs: Iterable[JudgePair]) -> None:
    rows = []
    for pair in pairs:
        found = pair.agreement
        interval = found.interval
        kappa = "undefined" if found.kappa is None else f"{found.kappa:.2f}"
        rows.append(
            [
                f"{found.first} / {found.second}",
                found.n,
                kappa,
                "" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}",
                f"{pair.both_right} {pair.only_first}\n{pair.only_second} {pair.both_wrong}",
                pair.flips,
            ]
        )
    if rows:
        out.print()
        columns = ("judges", "answers", "kappa", "95 %", "right, wrong", "flips")
        out.print(table("Agreement (Cohen's kappa)", columns, rows))
        say(
            "Only answers that both were asked about; answer match says something of all, exact match stands "
            "here where --exact-too was given. Rows of two by two: the first judge says right, wrong; "
            "columns: the second. Flips: answers that one calls right and the other wrong.",
            "dim",
        )


def _print_revised(done: Revision) -> None:
    words = {value: word for word, value in VERDICTS.items()}
    say(done.question, "bold")
    say(f"expected {done.key!r}, answered {done.text!r}")
    changed = "still " if done.was == done.correct else f"{words[done.was]} before, now "
    say(f"{changed}{words[done.correct]}, by {done.judged_by}; the matrix of run {done.run!r} follows")
