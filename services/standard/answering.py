"""Who answers for the systems of a protocol: the generator that it names, on its terms, or none at all."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kg.errors import SettingsError
from kg.llm.budget import Budget
from kg.llm.open import open_model, role_budget
from kg.llm.prompts import load_prompt
from kg.settings import Settings
from services.rag.model_generator import ModelGenerator
from services.rag.reader import READER
from services.rag.rules_generator import RulesGenerator
from services.rag.run_options import PROMPTS, SystemName
from services.rag.sampled_model import SampledModel
from services.rag.systems import Answerer
from services.standard.protocol import Answering, Protocol

HEADING_TOKENS = 64
"""Room for what stands above a passage in a prompt; it is no evidence, and not paid for."""


def prompts_of(systems: Iterable[SystemName]) -> tuple[str, ...]:
    """The prompts that a model answers with in these systems, with their versions, each once."""
    names = dict.fromkeys(prompt for system in systems for prompt in PROMPTS[system])
    return tuple(load_prompt(name).id for name in names)


def check_answering(generator: Answering, system: SystemName) -> None:
    """Make sure that what a protocol says of the generator is what would answer in a system.

    Raises:
        SettingsError: the rules or a prompt are of another version.
    """
    if generator.kind == "rules":
        if generator.name != READER:
            raise SettingsError(
                f"the protocol wants answers by the rules {generator.name!r}, and this Hopgrade reads by "
                f"{READER!r}.",
                f"Install the version that the protocol was made with, or name {READER} in a new protocol.",
            )
        return
    missing = [prompt for prompt in prompts_of((system,)) if prompt not in generator.prompts]
    if missing:
        raise SettingsError(
            f"the system {system} asks with the prompt {missing[0]!r}, which the protocol does not name.",
            f"Name all of them under generator in a new protocol: {', '.join(prompts_of((system,)))}.",
        )


@contextmanager
def open_protocol_answerer(
    protocol: Protocol, settings: Settings, budget: Budget | None = None
) -> Iterator[Answerer]:
    """Who answers by a protocol; the model is the one that it names, at the endpoint of the role "answer".

    Raises:
        SettingsError: neither a key nor a base URL is set for the model.
    """
    if protocol.generator.kind == "rules":
        yield Answerer(RulesGenerator(), None, lambda _: None)
        return
    named = settings.model_copy(update={"hopgrade_answer_model": protocol.generator.name})
    spent = role_budget("answer", named) if budget is None else budget
    room = protocol.budget.evidence_tokens + HEADING_TOKENS * protocol.pool.size
    with open_model("answer", named, spent) as model:
        sampled = SampledModel(model, protocol.generator.temperature, protocol.seeds.generation)
        yield Answerer(ModelGenerator(sampled, spent.money_of, room), sampled, spent.money_of)
