"""A judge who is a model: he sees question, key, the facts of each hop, the answer and its evidence.

From the protocol's words to a judge who can be asked.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from kg.errors import SettingsError
from kg.llm.budget import Budget
from kg.llm.prompts import Prompt, fence, load_prompt, on_one_line
from kg.llm.protocol import Failure, JsonValue, Model, ModelRequest, Reply, Schema, json_object
from kg.llm.roles import open_model
from kg.settings import Settings
from services.comparison.judging.measures import (
    Item,
    StandardJudge,
    failed_judgement,
    gold_hops,
    judgement_of,
    plain_verdict,
    shown_steps,
)
from services.comparison.judging.rules_judge import RULES, RulesJudge
from services.comparison.protocol import Judge
from services.comparison.records import Judgement

SCORES = {"right": 1.0, "partly": 0.5, "wrong": 0.0}

ROOM = 600
"""Tokens for a reason of thirty words, the passages of each hop, and a verdict."""

JUDGING = "standard-judge"
"""The name of the prompt by which answers are judged."""

USUAL_VERDICT, USUAL_HOP, USUAL_WORDING = 45, 10, 35
"""Tokens that an ordinary reply takes: reason and verdict, the list of a hop, an answer in other words."""

LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A judge who is a model; see `services.comparison.judging.measures.StandardJudge`."""

    model: Model
    temperature: float = 0.0

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def judge(self, items: Sequence[Item]) -> Iterator[Judgement]:
        """One judgement an item, in order, as they come.

        No call is made where there is nothing to weigh: no answer, and no evidence that could be gold.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        outcomes = self.model.ask(self._requests(items))
        for item in items:
            plain = plain_verdict(item)
            if plain is not None and not _has_evidence(item):
                yield judgement_of(self.name, item, *plain, [() for _ in gold_hops(item.question)])
                continue
            outcome = next(outcomes)
            if isinstance(outcome, Failure):
                yield failed_judgement(self.name, item, outcome.message)
            else:
                yield self._read(outcome, item)

    def reword(self, items: Sequence[Item]) -> Iterator[str]:
        """Each answer in the model's own words, in order, "" where there is no usable reply.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        for outcome in self.model.ask(self._reword_request(item) for item in items):
            said = outcome.value if isinstance(outcome, Reply) else None
            yield on_one_line(str(said["answer"])) if isinstance(said, dict) else ""

    def _requests(self, items: Sequence[Item]) -> Iterator[ModelRequest]:
        return (judge_request(item, self.temperature) for item in items if _asks(item))

    def _reword_request(self, item: Item) -> ModelRequest:
        prompt = load_prompt("reword-answer")
        messages = prompt.fill(
            question=fence(item.question.text, "question"), answer=fence(item.answer.text, "answer")
        )
        schema = Schema("wording", json_object(answer={"type": "string"}))
        return ModelRequest(
            messages,
            prompt.id,
            schema,
            max_output_tokens=ROOM,
            expected_output_tokens=USUAL_WORDING,
            temperature=self.temperature,
        )

    def _read(self, reply: Reply, item: Item) -> Judgement:
        said = reply.value
        if not isinstance(said, dict):
            raise TypeError(f"a reply that fits its schema is an object, not {type(said).__name__}")
        shown = list(shown_in_order(item))
        bearers = [
            [shown[number - 1] for number in said.get(f"hop_{place}", ())]
            for place, _ in enumerate(gold_hops(item.question), start=1)
        ]
        reason = on_one_line(str(said["reason"]))[:LONGEST_REASON]
        score = SCORES[str(said["verdict"])]
        # An error or an abstention is none of the model's business; its evidence is.
        decided, why = plain_verdict(item) or (score, reason)
        return judgement_of(self.name, item, decided, why, bearers)


def judge_prompt() -> Prompt:
    """The prompt by which answers are judged."""
    return load_prompt(JUDGING)


def judge_request(item: Item, temperature: float = 0.0) -> ModelRequest:
    """Is this answer right, and which of the passages state the facts of each hop?

    `item.trial` is the request's seed, so that a repetition is no reply from the cache.
    """
    prompt = judge_prompt()
    question = item.question
    others = [name for name in dict.fromkeys(question.accepted) if name != question.answer]
    key = question.answer + (f"\nalso called: {'; '.join(map(on_one_line, others))}" if others else "")
    messages = prompt.fill(
        question=fence(question.text, "question"),
        key=fence(key, "key"),
        facts=_facts(item),
        answer=fence(item.answer.text, "answer"),
        passages=_passages(item),
    )
    lists = len(gold_hops(question)) if shown_in_order(item) else 0
    return ModelRequest(
        messages,
        prompt.id,
        _schema(item),
        max_output_tokens=ROOM,
        expected_output_tokens=USUAL_VERDICT + USUAL_HOP * lists,
        temperature=temperature,
        seed=item.trial,
    )


def shown_in_order(item: Item) -> dict[str, int]:
    """The chunks that were shown and whose text is at hand, by search and rank, each with its search."""
    steps = shown_steps(item.answer)
    by_search = sorted(steps.items(), key=lambda pair: pair[1])
    return {chunk: step for chunk, step in by_search if chunk in item.chunks}


def _asks(item: Item) -> bool:
    return plain_verdict(item) is None or _has_evidence(item)


def _has_evidence(item: Item) -> bool:
    return bool(item.question.gold and shown_in_order(item))


def _facts(item: Item) -> str:
    hops = gold_hops(item.question)
    if not hops:
        return "No facts are known for this question."
    told = []
    for place, (_, golds) in enumerate(hops, start=1):
        claims = [on_one_line(gold.claim) for gold in golds if gold.claim]
        if not claims:
            texts = (item.chunks[gold.chunk].text for gold in golds if gold.chunk in item.chunks)
            claims = [on_one_line(text) for text in texts]
        told.append(fence("\n".join(dict.fromkeys(claims)) or "(no fact is known)", f"facts of hop {place}"))
    return "\n\n".join(told)


def _passages(item: Item) -> str:
    shown = shown_in_order(item)
    if not shown:
        return "No passages were shown."
    told = []
    search = 0
    for number, (chunk, step) in enumerate(shown.items(), start=1):
        if step != search:
            told.append(f"Search {step} brought:")
            search = step
        found = item.chunks[chunk]
        told.append(fence(f"{on_one_line(found.title)}\n{found.text}", f"passage {number}"))
    return "\n\n".join(told)


def _schema(item: Item) -> Schema:
    shown = len(shown_in_order(item))
    hops = gold_hops(item.question) if shown else ()
    numbers: JsonValue = {
        "type": "array",
        "items": {"type": "integer", "enum": list(range(1, shown + 1))},
    }
    lists: dict[str, JsonValue] = {f"hop_{place}": numbers for place, _ in enumerate(hops, start=1)}
    verdict: JsonValue = {"type": "string", "enum": list(SCORES)}
    # The evidence comes first, so that the verdict doesn't sway it; then the reason, before it is decided.
    return Schema("judgement", json_object(**lists, reason={"type": "string"}, verdict=verdict))


@contextmanager
def open_judge(judge: Judge, settings: Settings, budget: Budget | None = None) -> Iterator[StandardJudge]:
    """The judge that a protocol names; nothing is sent before he is asked.

    Raises:
        SettingsError: there are no such rules, the prompt is of another version, or no key or endpoint is
            set for the model.
    """
    check_judge(judge)
    if judge.kind == "rules":
        yield rules_judge(judge.name)
        return
    named = settings.model_copy(update={"hopgrade_judge_model": judge.name})
    with open_model("judge", named, budget) as model:
        yield ModelJudge(model, judge.temperature)


def check_judge(judge: Judge) -> None:
    """Do nothing, unless this version can't judge as the protocol says.

    Raises:
        SettingsError: there are no such rules, or the prompt is of another version.
    """
    if judge.kind == "rules":
        rules_judge(judge.name)
    elif judge.prompt not in ("", judge_prompt().id):
        raise SettingsError(
            f"the protocol wants the judge {judge.name!r} asked by {judge.prompt}, and this version has "
            f"{judge_prompt().id}.",
            f"Name {judge_prompt().id} in a new protocol, or use the version of Hopgrade that made this one.",
        )


def rules_judge(name: str) -> RulesJudge:
    """The judge of this name who goes by rules.

    Raises:
        SettingsError: there is none.
    """
    if name not in RULES:
        raise SettingsError(f"no judge by rules is called {name!r}.", f"Use one of {', '.join(RULES)}.")
    return RulesJudge(RULES[name])
