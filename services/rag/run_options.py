"""What makes a run: the system, who answers, how much is retrieved, how many questions; and its name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal, get_args

from kg.errors import SettingsError, command
from kg.llm.prompts import load_prompt
from kg.llm.roles import role_endpoint
from kg.settings import Settings
from services.answers import RULES
from services.rag.agents.goal_seeking.by_model import GOAL_PROMPTS
from services.rag.agents.graph_agent.seen import WALK_PROMPTS
from services.rag.agents.protocol import AGENTS, BY_MODEL, BY_RULES, MODEL_ONLY, MOST_TOP, AgentName
from services.rag.agents.react import ACTING, PLANNING
from services.rag.agents.search_tags import TURN
from services.rag.context import LEAST_EVIDENCE_TOKENS
from services.rag.model_generator import ANSWERING, DECOMPOSING, FROM_MEMORY, ON_THE_WAY
from services.rag.protocol import ExternalSystem
from services.rag.reader import READER
from services.rag.rerank import DEFAULT, RERANKED, reranker_name

SystemName = Literal["single-step", "multi-step", "decomposition", AgentName]
SYSTEMS: tuple[SystemName, ...] = get_args(SystemName)

GeneratorOption = Literal["rules", "model"]

EvidenceOption = Literal["retrieved", "gold", "none"]
EVIDENCE: tuple[EvidenceOption, ...] = get_args(EvidenceOption)
"""What a system reads: what it finds; in its place the chunks that support the question, the ceiling of any
retriever (MultiHop-RAG, table 6); or nothing, so that it answers from memory."""

MOST_REPEATS = 20
"""Runs at once that differ in the model's seed only."""

RETRIEVER = "vector"
"""The retriever of a run that names none: GRADE's systems search by vector, and the distance in its matrix is
measured in the same vectors."""

PROMPTS: Mapping[SystemName, tuple[str, ...]] = {
    "single-step": (ANSWERING,),
    "multi-step": (ON_THE_WAY, ANSWERING),
    "decomposition": (DECOMPOSING, ANSWERING),
    "react": (PLANNING, ACTING, ANSWERING),
    "goal-seeking": (*GOAL_PROMPTS, ANSWERING),
    "graph-agent": (*WALK_PROMPTS, ANSWERING),
    "search-tags": (TURN, ANSWERING),
}
"""The prompts that each system uses with a model."""

_LATER = frozenset({"most_iterations", "evidence_tokens", "policy", "temperature", "candidates", "evidence"})
"""Settings that runs did not always have."""

_NAME = re.compile(r"[\w.:@/+-]{1,80}")
_NOT_IN_NAMES = re.compile(r"[^\w.:@/+-]+")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run depends on besides the corpus.

    `name` empty stands for the default: the system's, with another retriever's than `RETRIEVER`, that it is
    reranked, its evidence where it finds none itself, and the model's behind it where one answers.
    Of `candidates` chunks that a search finds, the `reranker` leaves the best `top`; None stands for
    `RERANKED` times as many, of decomposition for `top`. With `evidence` "gold" or "none" nothing is
    searched, and `retriever` says nothing; only questions that have gold evidence are asked for it.
    `question_limit` None stands for all kept questions. `retry_failed` asks again what failed before.
    `prefixes` asks, after the questions, those of their first hops too. `most_iterations` limits the searches
    or rounds of an agent, None leaves the agent's own limit; `evidence_tokens` limits the text that is read
    for a question, None doesn't.
    `rule` is what decides which answers are right, answer match or exact match; None leaves it to the run.
    `covers` holds the ids of the only questions that are asked, None for all.
    A model is asked with `seed` and `temperature`, None standing for 0; `repeats` is the common name of runs
    that differ in the seed only, empty for a run by itself.
    With `outside`, that system answers, and `system`, `generator`, `retriever`, `top`, `reranker` and the
    limits say nothing.
    """

    system: SystemName = "single-step"
    generator: GeneratorOption = "rules"
    name: str = ""
    retriever: str = RETRIEVER
    top: int = 10
    reranker: str | None = None
    question_limit: int | None = None
    retry_failed: bool = False
    prefixes: bool = False
    most_iterations: int | None = None
    evidence_tokens: int | None = None
    covers: frozenset[str] | None = None
    rule: str | None = None
    outside: ExternalSystem | None = None
    seed: int = 0
    temperature: float | None = None
    repeats: str = ""
    candidates: int | None = None
    evidence: EvidenceOption = "retrieved"

    @property
    def reranks_searches(self) -> bool:
        """Whether a reranker reads what each search finds; decomposition reranks what all of them found."""
        return self.reranker is not None and self.system != "decomposition"

    @property
    def kept_at_most(self) -> int:
        """How many chunks one search of the system gives at most: an agent may ask for more than `top`."""
        return max(self.top, MOST_TOP) if self.system in AGENTS else self.top

    @property
    def found_at_most(self) -> int:
        """How many chunks the retriever finds for it."""
        if self.candidates is not None:
            return self.candidates
        return max(RERANKED * self.top, self.kept_at_most) if self.reranks_searches else self.kept_at_most


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What makes a run repeatable; all of it is recorded on the Run node. `reranker` is empty without one.

    `candidates` is how many chunks the reranker had of each search, None where it read no more than `top`;
    `evidence` is "gold" or "none" where the system was not to find its evidence itself, else empty.
    The limits, `temperature` and `repeats` are those of `RunOptions`. `policy` is the version of an agent,
    empty for what is none. Of a system from outside, `source` is the hash of what its answers depend on; what
    Hopgrade has no part in is empty.
    """

    name: str
    system: str
    retriever: str
    reranker: str
    generator: str
    embedder: str
    top: int
    seed: int
    prompts: tuple[str, ...]
    dataset: str
    # Not in the text of the value, from which the keys of all runs are made.
    source: str = field(default="", repr=False)
    most_iterations: int | None = None
    evidence_tokens: int | None = None
    policy: str = ""
    temperature: float | None = None
    repeats: str = field(default="", repr=False)
    candidates: int | None = None
    evidence: str = ""

    def __repr__(self) -> str:
        """The text from which a run's key is made: what runs did not always have stands in it only where
        there is something, so that the keys of earlier runs stay as they are."""
        told = (one.name for one in fields(self) if one.repr)
        parts = (f"{name}={getattr(self, name)!r}" for name in told if name not in _LATER or self._has(name))
        return f"{type(self).__name__}({', '.join(parts)})"

    def _has(self, name: str) -> bool:
        return getattr(self, name) not in {None, ""}


def parse_reader(text: str) -> GeneratorOption:
    """Who answers from what was retrieved.

    Raises:
        SettingsError: nobody of this name does.
    """
    match text:
        case "rules":
            return "rules"
        case "model":
            return "model"
        case _:
            raise SettingsError(f"{text!r} can't answer.", "Use --reader rules or --reader model.")


def parse_rule(text: str | None) -> str | None:
    """The rule that decides which answers are right, by what `--judge` calls it; None where none is named.

    Raises:
        SettingsError: there is none of this name.
    """
    if text is not None and text not in RULES:
        raise SettingsError(
            f"{text!r} is no rule for answers.",
            f"Use --judge {' or --judge '.join(RULES)}. A model judges afterwards: "
            f"{command('run judge RUN')}.",
        )
    return None if text is None else RULES[text]


def parse_evidence(text: str) -> EvidenceOption:
    """What a system reads, by what `--evidence` calls it.

    Raises:
        SettingsError: there is nothing of this name.
    """
    for name in EVIDENCE:
        if text == name:
            return name
    raise SettingsError(
        f"{text!r} is no evidence to read.", f"Use --evidence {' or --evidence '.join(EVIDENCE)}."
    )


def parse_system(text: str) -> SystemName:
    """The system of this name.

    Raises:
        SettingsError: there is none.
    """
    for name in SYSTEMS:
        if text == name:
            return name
    raise SettingsError(f"{text!r} is not a RAG system.", f"Use one of: {', '.join(SYSTEMS)}.")


def settle_run(
    options: RunOptions, settings: Settings, embedder: str, retriever: str, dataset: str
) -> RunSettings:
    """The settings of a run from its options.

    Raises:
        SettingsError: no model is set for the answers, the name can't be one, there is no such reranker, or
            the options can't work together.
    """
    if options.outside is not None:
        return _settled_outside(options.name, options.outside, embedder, dataset)
    check_limits(options)
    model = role_endpoint("answer", settings).model if options.generator == "model" else ""
    parts = (
        options.system,
        options.retriever if options.retriever != RETRIEVER else "",
        "reranked" if options.reranks_searches else "",
        {"gold": "gold", "none": "closed-book"}.get(options.evidence, ""),
        model,
    )
    name = _check_name(options.name or "-".join(_NOT_IN_NAMES.sub("-", part) for part in parts if part))
    reranks = options.system == "decomposition" or options.reranks_searches
    return RunSettings(
        name=name,
        system=options.system,
        retriever=retriever,
        reranker=reranker_name(options.reranker or DEFAULT) if reranks else "",
        generator=model or READER,
        embedder=embedder,
        top=_top(options),
        seed=options.seed,
        prompts=_prompt_ids(options) if model else (),
        dataset=dataset,
        most_iterations=options.most_iterations,
        evidence_tokens=options.evidence_tokens,
        policy=_policy(options),
        temperature=options.temperature or None,
        repeats=options.repeats,
        candidates=options.found_at_most if options.reranks_searches else options.candidates,
        evidence="" if options.evidence == "retrieved" else options.evidence,
    )


def repeat_options(options: RunOptions, runs: int, settings: Settings) -> list[RunOptions]:
    """The options of so many runs that differ in the model's seed, from `options.seed` on, and in the name.

    Raises:
        SettingsError: rules answer, which have no seed, or no model is set.
    """
    if options.generator == "rules":
        raise SettingsError(
            "rules answer alike however often they are asked, so there is nothing to repeat.",
            "Leave --repeat out, or let a model answer: --model NAME.",
        )
    common = settle_run(options, settings, "", "", "").name
    return [
        replace(options, name=f"{common}-seed-{seed}", seed=seed, repeats=common)
        for seed in range(options.seed, options.seed + runs)
    ]


def _top(options: RunOptions) -> int:
    """How many chunks are looked at, 0 where that is not for the options to say."""
    reads_all = options.evidence == "gold" and options.system in {"single-step", "multi-step"}
    return 0 if reads_all or options.evidence == "none" else options.top


def _prompt_ids(options: RunOptions) -> tuple[str, ...]:
    return tuple(load_prompt(prompt).id for prompt in prompts_of(options.system, options.evidence))


def prompts_of(system: SystemName, evidence: EvidenceOption = "retrieved") -> tuple[str, ...]:
    """The prompts that a system uses with a model, by name, where it reads this evidence."""
    return (FROM_MEMORY,) if evidence == "none" else PROMPTS[system]


def _policy(options: RunOptions) -> str:
    versions = BY_MODEL if options.generator == "model" else BY_RULES
    return next((version for agent, version in versions.items() if agent == options.system), "")


def check_limits(options: RunOptions) -> None:
    """Make sure that the limits of a run can work, and its reranker and evidence with them.

    Raises:
        SettingsError: one can't, or the system or who answers has no such limit.
    """
    if options.generator == "rules" and (options.seed or options.temperature):
        raise SettingsError(
            "rules answer alike whatever seed and temperature are.",
            "Leave --seed and --temperature out, or let a model answer: --model NAME.",
        )
    if options.system in MODEL_ONLY and options.generator != "model":
        raise SettingsError(
            f"the system {options.system} is played by a model alone, and none was named.",
            "Add --generator model.",
        )
    _check_reranking(options)
    _check_evidence(options)
    steps, tokens = options.most_iterations, options.evidence_tokens
    if steps is not None and options.system not in AGENTS:
        raise SettingsError(
            f"the system {options.system} is no agent and takes no iterations.",
            f"Leave --max-iterations out, or use one of: {', '.join(AGENTS)}.",
        )
    if steps is not None and steps < 1:
        raise SettingsError(f"{steps} iterations are too few to do anything.", "Give at least 1.")
    if tokens is not None and tokens < LEAST_EVIDENCE_TOKENS:
        raise SettingsError(
            f"{tokens} tokens of evidence are too few to read anything.",
            f"Give at least {LEAST_EVIDENCE_TOKENS}.",
        )


def _check_reranking(options: RunOptions) -> None:
    if options.reranker is not None:
        reranker_name(options.reranker)
    if options.candidates is None:
        return
    if options.reranker is None and options.system != "decomposition":
        raise SettingsError(
            f"{options.candidates} candidates are for a reranker, and there is none.",
            f"Add --reranker {DEFAULT}, or leave --candidates out.",
        )
    if options.candidates < options.top:
        raise SettingsError(
            f"of {options.candidates} candidates no {options.top} chunks can be the best.",
            f"Give --candidates {options.top} or more, or a smaller --top.",
        )


def _check_evidence(options: RunOptions) -> None:
    if options.evidence == "retrieved":
        return
    if options.retriever != RETRIEVER or options.candidates is not None or options.reranks_searches:
        raise SettingsError(
            f"with --evidence {options.evidence} nothing is searched, and so nothing is reranked.",
            "Leave --retriever, --reranker and --candidates out, or --evidence.",
        )
    if options.evidence == "none" and options.system != "single-step":
        raise SettingsError(
            f"the system {options.system} has nothing to do without evidence.",
            "Use single-step: it asks once, and from memory.",
        )
    if options.system == "graph-agent":
        raise SettingsError(
            "the graph-agent reads the graph, and can't be given other evidence.",
            "Use another system with --evidence gold.",
        )


def _settled_outside(name: str, outside: ExternalSystem, embedder: str, dataset: str) -> RunSettings:
    return RunSettings(
        name=_check_name(name or _NOT_IN_NAMES.sub("-", outside.name)[:80]),
        system=outside.system,
        retriever="",
        reranker="",
        generator=outside.generator,
        embedder=embedder,
        top=0,
        seed=0,
        prompts=outside.prompts,
        dataset=dataset,
        source=outside.source,
    )


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"{name!r} can't be the name of a run.",
            "Give up to 80 letters, digits and . : @ / + - _, without blanks.",
        )
    return name
