"""Which prompts a job asks of which model, and which of them have passed before.

A pass is remembered for an endpoint, a model, how much it may think and write, and a version of a prompt, in
a file beside the store: the next command that needs the same asks nothing. Gold items that changed since then
don't undo it.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from kg.extract.choose import ExtractorOption
from kg.ids import content_hash
from kg.llm.budget import Budget
from kg.llm.prompts import load_prompt
from kg.llm.protocol import Estimate, Role
from kg.llm.roles import role_endpoint
from kg.settings import Settings
from kg.stages.resolution import LinksOption
from services.comparison.planning import PlannedCalls, answering_cost, judging_cost
from services.comparison.protocol import Protocol
from services.comparison.rejudging import judge_of
from services.comparison.run import Budgets
from services.evaluate.judge import Scale, judge_prompt
from services.questions.choice import QuestionChoice
from services.questions.composed.stage import PROMPTS as COMPOSING
from services.questions.rewording import REWORDING
from services.rag.model_generator import FROM_MEMORY
from services.rag.run_options import EvidenceOption, RunOptions, SystemName, prompts_of

FILE = "preflight.json"


@dataclass(frozen=True, slots=True)
class Need:
    """A prompt that a job asks in a role."""

    prompt: str
    role: Role


def build_needs(extractor: ExtractorOption, links: LinksOption) -> tuple[Need, ...]:
    """What reading articles and finding links by a model asks."""
    reading = ("write-claims", "check-claims", "find-triples") if extractor != "rules" else ()
    linking = ("match-entities",) if links == "model" else ()
    return tuple(Need(prompt, "extract") for prompt in (*reading, *linking))


def question_needs(choice: QuestionChoice) -> tuple[Need, ...]:
    """What writing and checking questions by a model asks."""
    needs = [Need("write-question", "generate")] if choice.generator == "model" else []
    if choice.generator == "model" and choice.other_kinds:
        needs.append(Need(REWORDING, "generate"))
    if choice.checks == "model":
        kinds = set(choice.kinds)
        compared = kinds & {"comparison", "temporal"}
        checks = ["check-question-alone"]
        checks += ["check-question-chain", "check-question-rivals"] if "chain" in kinds else []
        checks += ["check-question-bridge"] if kinds & {"bridge entity", "bridge topic"} else []
        checks += ["check-question-comparison"] if compared else []
        checks += ["check-question-null"] if "null" in kinds else []
        if choice.known == "reject":
            checks += ["compare-from-memory"] if compared or "bridge topic" in kinds else []
            named = kinds & {"chain", "bridge entity", "bridge topic"}
            checks += ["answer-closed-book"] if named else []
        checks += ["answer-from-evidence", "compare-answers"]
        needs += [Need(prompt, "judge") for prompt in checks]
    return tuple(needs)


def compose_needs() -> tuple[Need, ...]:
    """What composing questions by models asks."""
    return tuple(Need(prompt, _composing_role(prompt)) for prompt in COMPOSING)


def run_needs(systems: Iterable[SystemName], evidence: EvidenceOption = "retrieved") -> tuple[Need, ...]:
    """What the answers of systems by a model ask, where they read this evidence."""
    names = dict.fromkeys(prompt for system in systems for prompt in prompts_of(system, evidence))
    return tuple(Need(prompt, "answer") for prompt in names)


def sweep_needs(run: RunOptions, links: LinksOption) -> tuple[Need, ...]:
    """What a sweep asks where `links` are left to find; what a model read is there from before."""
    answers = run_needs([run.system]) if run.generator == "model" else ()
    return (*build_needs("rules", links), *answers)


def chat_needs(bare: bool) -> tuple[Need, ...]:
    """What a chat endpoint as a whole system is asked; a bare question goes without a prompt of ours."""
    return () if bare else (Need(FROM_MEMORY, "answer"),)


def judge_needs(scale: Scale) -> tuple[Need, ...]:
    """What a judge of a run is asked."""
    return (Need(judge_prompt(scale).name, "judge"),)


def standard_needs() -> tuple[Need, ...]:
    """What a judge of a comparison is asked, calibration included."""
    return (Need("standard-judge", "judge"), Need("reword-answer", "judge"))


def comparison_trials(
    protocol: Protocol, calls: PlannedCalls, settings: Settings, budgets: Budgets
) -> Iterator[tuple[Sequence[Need], Mapping[str, Estimate], Settings, Budget]]:
    """For each model of a comparison what it is asked, what that takes, its settings and its budget."""
    if (answer := budgets.answer) is not None:
        named = settings.model_copy(update={"hopgrade_answer_model": protocol.generator.name})
        needs = run_needs(one.system for one in protocol.systems if one.run is None)
        yield needs, {"answers": answering_cost(protocol, calls, answer.money_of)}, named, answer
    for role, budget in budgets.judges.items():
        name = judge_of(protocol, role).name
        judging = settings.model_copy(update={"hopgrade_judge_model": name})
        parts = judging_cost(protocol, calls, budget.money_of)
        yield standard_needs(), {f"{step} by {name}": part for step, part in parts.items()}, judging, budget


def _composing_role(prompt: str) -> Role:
    if prompt in {"answer-closed-book", "compare-from-memory", "answer-from-evidence"}:
        return "answer"
    return "judge" if prompt.startswith(("check-", "compare-")) else "generate"


def left_to_try(needs: Sequence[Need], settings: Settings) -> tuple[Need, ...]:
    """The needs whose prompt has not passed with the model of its role.

    Raises:
        SettingsError: no model is set for a role, or neither a key nor a base URL.
    """
    passed = _read_record(settings)
    return tuple(need for need in dict.fromkeys(needs) if _key(need, settings) not in passed)


def remember_passes(needs: Iterable[Need], settings: Settings) -> None:
    """Keep that these passed; a file that can't be written is no error, they are only tried again."""
    passed = dict(_read_record(settings))
    passed.update({_key(need, settings): load_prompt(need.prompt).id for need in needs})
    path = _path(settings)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(passed, indent=1), encoding="utf-8")
        written.replace(path)


def _key(need: Need, settings: Settings) -> str:
    endpoint = role_endpoint(need.role, settings)
    how = endpoint.reasoning or "", endpoint.output_room, sorted(endpoint.extra_body.items())
    return content_hash((endpoint.base_url or "", endpoint.model, load_prompt(need.prompt).id, repr(how)))


def _read_record(settings: Settings) -> Mapping[str, str]:
    try:
        found = json.loads(_path(settings).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _path(settings: Settings) -> Path:
    return settings.hopgrade_home.expanduser() / FILE
