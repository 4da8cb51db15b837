"""A comparison begins: questions are drawn, their pools frozen, and a protocol is written to be edited.

A comparison begins again from its archive: the same protocol, and the same frozen pools.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import get_args

import yaml

from kg.embed.choose import Embedder
from kg.errors import InputError, SettingsError, command
from kg.llm.roles import model_behind, role_endpoint
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from services.comparison.archive import read_archive
from services.comparison.collect import collect_questions, sample_questions
from services.comparison.folder import (
    DRAWN_FILE,
    POOL_FILE,
    PROTOCOL_FILE,
    Journal,
    lock_of,
    refuse_taken,
    writing,
)
from services.comparison.judging.model_judge import judge_prompt
from services.comparison.judging.rules_judge import RULES
from services.comparison.locking import read_locked
from services.comparison.pool import (
    PoolMethod,
    PoolRecall,
    draw_pools,
    drawn_by,
    pool_hash,
    pool_recall,
    write_pool,
)
from services.comparison.pool_systems import prompts_of
from services.comparison.protocol import (
    NAME_PATTERN,
    Answering,
    Budget,
    Calibration,
    CandidatePool,
    Correction,
    Dataset,
    Direction,
    Hypothesis,
    JsonData,
    Judge,
    Measure,
    Protocol,
    RunName,
    Seeds,
    SelectorName,
    Spending,
    SystemUnderTest,
    protocol_document,
)
from services.comparison.records import Candidates
from services.questions.dataset import dataset_version
from services.questions.spans.facets import FACETS
from services.questions.spans.question_spans import renew_spans
from services.rag.reader import READER
from services.rag.retrieval.choose import check_retriever

_HEAD = f"""\
# A judged comparison, written down before anything is answered.
#
# Edit it, the hypotheses above all, and then:   {command("standard check FOLDER")}
#                                                {command("standard run FOLDER")}
# The run locks it: what is changed from then on is another comparison, with another name and folder.
"""

_SINGLE_STEP = SystemUnderTest.model_fields["system"].default


def _one_of(choices: object) -> str:
    return ", ".join(get_args(choices))


_ABOUT: Mapping[str, tuple[str, ...]] = {
    "name": ("What the comparison is called, with its runs and its archive.",),
    "dataset": (
        "Which questions: of this version of a corpus so many, drawn by seeds.sample; all without a number.",
    ),
    "pool": (
        "The only chunks that a system may show for a question: the first that a retriever found. They lie",
        "frozen in pool.jsonl.gz, and hash is over all of them.",
    ),
    "budget": ("Tokens of the evidence that may be shown for a question, and of an answer.",),
    "generator": ("Who answers for every system: rules, or a model with the versions of its prompts.",),
    "judge": ("Who judges: rules (exact or overlap), or a model that is not the generator.",),
    "second_judge": ("Who judges everything once more: what both say is what holds.",),
    "calibration": (
        "Judges are tried on answers of known quality. Discernment is sensitivity + specificity - 1; a judge",
        "who tells apart or repeats himself less than this, or is more biased, is adjusted or rejected.",
        "run is a finished run, on whose answers they are tried too, as people labelled them.",
    ),
    "evidence_clusters": (f"What Cluster Recall counts: {', '.join(FACETS)}.",),
    "systems": (
        f"Ours take their evidence from the pool by a selector: {_one_of(SelectorName)}.",
        "Yours is a run that is begun after the lock, and told by its name:  - {name: mine, run: my-run}",
    ),
    "hypotheses": (
        "What is claimed before it is known: that system has, by measure, a mean in this direction from",
        "the mean of against. smallest is the smallest difference that matters: the margin of an",
        "equivalence, and what the planned power is about.",
        f"measure: {_one_of(Measure)}",
        f"direction: {_one_of(Direction)}",
    ),
    "inference": (
        "How all hypotheses together are decided. Questions are one cluster where their gold evidence is,",
        f"by {', '.join(FACETS)}.",
        f"correction: {_one_of(Correction)}; spending, with several looks: {_one_of(Spending)}.",
        "looks are the shares of the questions after which the results are looked at.",
    ),
    "seeds": ("The seeds of all that is drawn.",),
}
"""What is said above a field."""


def protocol_text(protocol: Protocol) -> str:
    """The text of a protocol's file; what is read from it is the same protocol."""
    return "\n".join(_parts(protocol))


def _parts(protocol: Protocol) -> Iterator[str]:
    yield _HEAD
    for name, value in protocol_document(protocol).items():
        about = (f"# {line}" for line in _ABOUT.get(name, ()))
        yield "\n".join((*about, *_lines(name, value, ""), ""))


def _lines(name: str, value: JsonData, indent: str) -> Iterator[str]:
    match value:
        # Nothing, and empty texts and lists, stand for themselves where they are left out.
        case None | "" | []:
            return
        case dict():
            yield f"{indent}{name}:"
            for inner, held in value.items():
                yield from _lines(inner, held, f"{indent}  ")
        case [dict(), *_]:
            yield f"{indent}{name}:"
            for item in value:
                yield from _item(item, f"{indent}  ")
        case _:
            yield f"{indent}{name}: {_flow(value)}"


def _item(item: JsonData, indent: str) -> Iterator[str]:
    """A part of a list: its first field behind the dash, the others below it."""
    fields = dict(item) if isinstance(item, Mapping) else {}
    if fields.get("run") and fields.get("system") == _SINGLE_STEP:
        del fields["system"]  # the default, which says nothing of a run that is made elsewhere
    lines = [line for inner, held in fields.items() for line in _lines(inner, held, f"{indent}  ")]
    yield f"{indent}- {lines[0].lstrip()}"
    yield from lines[1:]


def _flow(value: JsonData) -> str:
    """A value on one line, as YAML reads it back."""
    text = _dumped(value, as_it_is=True)
    # Line ends of other alphabets must be written out, or they are read as blanks.
    return text if text.isprintable() else _dumped(value, as_it_is=False)


def _dumped(value: JsonData, as_it_is: bool) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, width=float("inf"), allow_unicode=as_it_is)
    return text.removesuffix("\n").removesuffix("\n...")


POOL_BY = "hybrid"
"""The retriever of a pool where none is named. It is none that a selector ranks by, as graph search is: the
selector would be top-k by another name."""
POOL_SIZE = 100
EVIDENCE_TOKENS = 1_000
"""Some five chunks of a medium size: fewer than the hops of the longest questions need without a choice."""
ANSWER_TOKENS = 64
SMALLEST = 0.05
CALIBRATED, LEAST_CALIBRATED = 40, 10
"""On how many questions a judge is tried, where there are many answers to judge and where there are few."""
ANSWERS_A_TRIAL = 10
"""So many answers stand for one more question that a judge is tried on."""
_MISTYPED = 0.8
"""So alike (Ratcliff and Obershelp) is a slip to the name that was meant."""
CLAIMED: tuple[Measure, ...] = ("cluster recall", "accuracy")
"""What the first hypotheses are about."""

_BASE: SelectorName = "top-k"
_NAME = re.compile(NAME_PATTERN)


@dataclass(frozen=True, slots=True)
class FirstOptions:
    """What a first protocol depends on.

    `questions` None stands for all kept ones. `model` answers, None leaves it to rules; `judge` and
    `second_judge` are names of rules, or of models. `runs` are systems from elsewhere, by name, with the name
    of their run. `calibration` is on how many questions judges are tried, None for as many as fit the
    number of answers (`calibration_size`), and `calibration_run` a finished run with answers that people
    labelled, on which they are tried too.
    """

    name: str
    questions: int | None = None
    seed: int = 0
    pool_by: str = POOL_BY
    pool_size: int = POOL_SIZE
    evidence_tokens: int = EVIDENCE_TOKENS
    answer_tokens: int = ANSWER_TOKENS
    model: str | None = None
    judge: str = "exact"
    second_judge: str = "overlap"
    smallest: float = SMALLEST
    calibration: int | None = None
    calibration_run: str | None = None
    runs: tuple[tuple[str, str], ...] = ()


def check_options(options: FirstOptions) -> None:
    """Make sure that the names in them can be names, before any work begins.

    Raises:
        SettingsError: one can't be, stands twice, or the judges are one.
    """
    judges = [judge_named(name) for name in (options.judge, options.second_judge)]
    systems = [*get_args(SelectorName), *(name for name, _ in options.runs)]
    for name in (options.name, *systems):
        if not _NAME.fullmatch(name):
            raise SettingsError(
                f"{name!r} can't be a name in a comparison.",
                "Give 1 to 40 letters, digits and . : @ + - _, without blanks; first a letter, digit or _.",
            )
    if twice := next((name for name in systems if systems.count(name) > 1), None):
        raise SettingsError(f"two systems are called {twice!r}.", "Rename yours: --system NAME=RUN.")
    runs = [run for _, run in options.runs]
    if again := next((run for run in runs if runs.count(run) > 1), None):
        raise SettingsError(f"two systems are the run {again!r}.", "Name each run once: --system NAME=RUN.")
    if judges[0].identity == judges[1].identity:
        raise SettingsError(
            f"{options.judge!r} can't be both judges.", "Name another with --second-judge; it replicates."
        )
    models = {model_behind(judge.name) for judge in judges if judge.kind == "model"}
    if options.model is not None and model_behind(options.model) in models:
        raise SettingsError(
            f"{options.model!r} would judge its own answers.", "Name another with --judge or --second-judge."
        )


def calibration_size(questions: int, systems: int, by_models: bool) -> int:
    """On how many questions a judge is tried for the answers of so many systems to so many questions.

    A model's trial costs some 22 requests a question, many times what it is for where there are few answers.
    With fewer questions less is known of the judge, as the check says and the intervals of the report show.
    """
    if not by_models:
        return CALIBRATED
    return min(CALIBRATED, max(LEAST_CALIBRATED, questions * systems // ANSWERS_A_TRIAL))


def first_protocol(
    options: FirstOptions, dataset: Dataset, pool_hash: str, settings: Settings, questions: int
) -> Protocol:
    """A whole protocol: ours with every selector, the runs that were named, and all of them against top-k.

    `questions` is how many were drawn.

    Raises:
        SettingsError: a model answers, and no endpoint is set for it.
    """
    systems = tuple(_systems(options))
    judge, second = judge_named(options.judge), judge_named(options.second_judge)
    size = calibration_size(questions, len(systems), "model" in {judge.kind, second.kind})
    return Protocol(
        name=options.name,
        dataset=dataset,
        pool=CandidatePool(retriever=options.pool_by, size=options.pool_size, hash=pool_hash),
        budget=Budget(evidence_tokens=options.evidence_tokens, answer_tokens=options.answer_tokens),
        generator=_generator(options.model, systems, settings),
        judge=judge,
        second_judge=second,
        systems=systems,
        hypotheses=tuple(_hypotheses(systems, options.smallest)),
        calibration=Calibration(questions=options.calibration or size, run=options.calibration_run),
        seeds=Seeds(**dict.fromkeys(Seeds.model_fields, options.seed)),
    )


def judge_named(name: str) -> Judge:
    """The judge of a name: the rules that are called so, or else a model.

    Raises:
        SettingsError: it is nearly the name of rules, and no model is called so.
    """
    if name in RULES:
        return Judge(kind="rules", name=name)
    if meant := get_close_matches(name.casefold(), RULES, n=1, cutoff=_MISTYPED):
        raise SettingsError(f"{name!r} is no judge by rules, and hardly a model.", f"Write {meant[0]!r}.")
    return Judge(kind="model", name=name, prompt=judge_prompt().id)


def _systems(options: FirstOptions) -> Iterator[SystemUnderTest]:
    for selector in get_args(SelectorName):
        yield SystemUnderTest(name=selector, selector=selector)
    for name, run in options.runs:
        yield SystemUnderTest(name=name, run=run)


def _generator(model: str | None, systems: tuple[SystemUnderTest, ...], settings: Settings) -> Answering:
    if model is None:
        return Answering(kind="rules", name=READER)
    role_endpoint("answer", settings.model_copy(update={"hopgrade_answer_model": model}))
    prompts = prompts_of(one.system for one in systems if one.selector is not None)
    return Answering(kind="model", name=model, prompts=prompts)


def _hypotheses(systems: tuple[SystemUnderTest, ...], smallest: float) -> Iterator[Hypothesis]:
    others: list[RunName] = [one.name for one in systems if one.selector != _BASE]
    claims = ((name, measure) for name in others for measure in CLAIMED)
    for number, (name, measure) in enumerate(claims, 1):
        yield Hypothesis(id=f"H{number}", system=name, against=_BASE, measure=measure, smallest=smallest)


REPEAT = command("standard repeat ARCHIVE FOLDER")


def repeat_standard(archive: Path, folder: Path) -> Protocol:
    """Write what an archive was made by into a folder, to be checked and run where its corpus is.

    Raises:
        InputError: it is no archive, or its pools are not those of its protocol.
        SettingsError: the folder holds a comparison already, or can't be written.
    """
    comparison = read_archive(archive)
    protocol = comparison.protocol
    drawn, pools = drawn_by(protocol.pool), list(comparison.pool)
    if pool_hash(drawn, pools) != protocol.pool.hash:
        raise InputError(
            f"the pools in {archive.name} are not those of its protocol.",
            f"See what was changed: {command('standard verify', str(archive))}",
        )
    refuse_taken(folder, REPEAT)
    with writing(folder, REPEAT):
        folder.mkdir(parents=True, exist_ok=True)
        write_pool(folder / POOL_FILE, drawn, pools)
        # The protocol comes last: a folder without one was cut off, and can be filled again.
        (folder / PROTOCOL_FILE).write_text(protocol_text(protocol), encoding="utf-8")
    return protocol


INIT = command("standard init FOLDER")


@dataclass(frozen=True, slots=True)
class NewComparison:
    """A comparison that was begun: its protocol, how many questions it has, and what gold the pools hold."""

    protocol: Protocol
    questions: int
    recall: PoolRecall


def begin_standard(
    graph: Graph,
    corpus: str,
    folder: Path,
    options: FirstOptions,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
) -> NewComparison:
    """Draw, freeze and write; nothing is asked.

    Into the graph goes at most what questions span, where an older version made them or they came from
    elsewhere. Cut off while pools are drawn, it goes on with those that are left.

    Raises:
        SettingsError: an option can't work, or the folder holds a comparison already.
        InputError: another command is beginning one in it, or it can't be written.
        NothingToDoError: the corpus has no questions, or a pool would be empty.
    """
    check_options(options)
    check_retriever(options.pool_by)
    _refuse_taken(graph, corpus, folder, options.name)
    renew_spans(graph, corpus)
    drawn = sample_questions(graph, corpus, options.questions, options.seed)
    dataset = Dataset(
        corpus=corpus, version=dataset_version(graph, corpus), questions=options.questions and len(drawn)
    )
    first_protocol(options, dataset, "-", settings, len(drawn))  # a mistake in it shows before the work
    progress.begin("pools")
    with Journal(folder / DRAWN_FILE, Candidates) as journal:
        # Another command may have begun one here, and ended, since it was looked at.
        _refuse_taken(graph, corpus, folder, options.name)
        pools = draw_pools(
            graph, corpus, options.pool_by, options.pool_size, drawn, embedder, progress, journal
        )
        progress.end(f"{len(pools):,} by {options.pool_by}, at most {options.pool_size:,} chunks each")
        with writing(folder, INIT):
            part = folder / f".{POOL_FILE}.{os.getpid()}"
            digest = write_pool(part, PoolMethod(options.pool_by, options.pool_size), pools.values())
            protocol = first_protocol(options, dataset, digest, settings, len(drawn))
            part.replace(folder / POOL_FILE)
            # The protocol comes last: a folder without one was cut off, and can be filled again.
            part = folder / f".{PROTOCOL_FILE}.{os.getpid()}"
            part.write_text(protocol_text(protocol), encoding="utf-8")
            part.replace(folder / PROTOCOL_FILE)
    with writing(folder, INIT):
        _forget_drawn(folder)
    return NewComparison(protocol, len(drawn), pool_recall(collect_questions(graph, protocol, drawn), pools))


def _forget_drawn(folder: Path) -> None:
    """Delete the journal of what was drawn: all of it is in the frozen pools.

    Whoever opens it after this finds the protocol, and ends.
    """
    for path in (folder / DRAWN_FILE, lock_of(folder / DRAWN_FILE)):
        path.unlink(missing_ok=True)


def _refuse_taken(graph: Graph, corpus: str, folder: Path, name: str) -> None:
    refuse_taken(folder, INIT)
    locked = read_locked(graph, corpus, name)
    if locked is not None:
        raise SettingsError(
            f"corpus {corpus!r} has a comparison {name!r}, locked at {locked.lock.locked_at}.",
            "Give this one another name: --name NAME",
        )
