"""What makes a run: the system, who answers, how much is retrieved, how many questions; and its name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, get_args

from kg.errors import SettingsError, command
from kg.llm.prompts import load_prompt
from kg.llm.roles import role_endpoint
from kg.settings import Settings
from services.answers import RULES
from services.rag.agents.goal_seeking.by_model import GOAL_PROMPTS
from services.rag.agents.graph_agent.seen import WALK_PROMPTS
from services.rag.agents.protocol import AGENTS, BY_MODEL, BY_RULES, MODEL_ONLY, AgentName
from services.rag.agents.react import ACTING, PLANNING
from services.rag.agents.search_tags import TURN
from services.rag.evidence_budget import LEAST_EVIDENCE_TOKENS
from services.rag.model_generator import ANSWERING, DECOMPOSING, ON_THE_WAY
from services.rag.protocol import Outside
from services.rag.reader import READER
from services.rag.rerank import DEFAULT, reranker_name

SystemName = Literal["single-step", "multi-step", "decomposition", AgentName]
SYSTEMS: tuple[SystemName, ...] = get_args(SystemName)

GeneratorOption = Literal["rules", "model"]

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

_LATER = frozenset({"most_iterations", "evidence_tokens", "policy"})
"""Settings that runs did not always have."""

_NAME = re.compile(r"[\w.:@/+-]{1,80}")
_NOT_IN_NAMES = re.compile(r"[^\w.:@/+-]+")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run depends on besides the corpus.

    `name` empty stands for the default: the system's, with another retriever's than `RETRIEVER` and the
    model's behind it where one answers.
    `question_limit` None stands for all kept questions. `retry_failed` asks again what failed before.
    `prefixes` asks, after the questions, those of their first hops too. `most_iterations` limits the searches
    or rounds of an agent, None leaves the agent's own limit; `evidence_tokens` limits the text that is read
    for a question, None doesn't.
    `rule` is what decides which answers are right, answer match or exact match; None leaves it to the run.
    `covers` holds the ids of the only questions that are asked, None for all.
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
    outside: Outside | None = None


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What makes a run repeatable; all of it is recorded on the Run node. `reranker` is empty without one.

    The limits are those of `RunOptions`, None where none was given. `policy` is the version of an agent,
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
        SettingsError: no model is set for the answers, the name can't be one, the system has no reranker, or
            a limit can't work.
    """
    if options.outside is not None:
        return _settled_outside(options.name, options.outside, embedder, dataset)
    check_limits(options)
    model = role_endpoint("answer", settings).model if options.generator == "model" else ""
    parts = (options.system, options.retriever if options.retriever != RETRIEVER else "", model)
    name = _checked(options.name or "-".join(_NOT_IN_NAMES.sub("-", part) for part in parts if part))
    decomposes = options.system == "decomposition"
    if options.reranker is not None and not decomposes:
        raise SettingsError(
            f"the system {options.system} has no reranker.", "Leave --reranker out, or use decomposition."
        )
    return RunSettings(
        name=name,
        system=options.system,
        retriever=retriever,
        reranker=reranker_name(options.reranker or DEFAULT) if decomposes else "",
        generator=model or READER,
        embedder=embedder,
        top=options.top,
        seed=0,
        prompts=tuple(load_prompt(prompt).id for prompt in PROMPTS[options.system]) if model else (),
        dataset=dataset,
        most_iterations=options.most_iterations,
        evidence_tokens=options.evidence_tokens,
        policy=_policy(options),
    )


def _policy(options: RunOptions) -> str:
    versions = BY_MODEL if options.generator == "model" else BY_RULES
    return next((version for agent, version in versions.items() if agent == options.system), "")


def check_limits(options: RunOptions) -> None:
    """Make sure that the limits of a run can work, and that its system has who it needs.

    Raises:
        SettingsError: a limit can't, the system has no such limit, or nothing but a model can play it.
    """
    if options.system in MODEL_ONLY and options.generator != "model":
        raise SettingsError(
            f"the system {options.system} is played by a model alone, and none was named.",
            "Add --generator model.",
        )
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


def _settled_outside(name: str, outside: Outside, embedder: str, dataset: str) -> RunSettings:
    return RunSettings(
        name=_checked(name or _NOT_IN_NAMES.sub("-", outside.name)[:80]),
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


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"{name!r} can't be the name of a run.",
            "Give up to 80 letters, digits and . : @ / + - _, without blanks.",
        )
    return name
