"""How a model does on gold items: passed, cut off, not parsed or wrong, with tokens and seconds.

The trial of a job's prompts before money is spent, and what the job would take, a line a part.

A run judged as a job: its lease is held, its cost told and its prompt tried before the judge is asked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from time import monotonic
from typing import Literal

from kg.embed.choose import Embedder
from kg.errors import SettingsError, UserError, command
from kg.llm.budget import Budget, format_calls
from kg.llm.prompts import load_prompt
from kg.llm.protocol import Estimate, Failure, JsonValue, ModelOutcome, ModelRequest, Reply, Role
from kg.llm.reading import read_arguments
from kg.llm.roles import open_model, role_budget
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import Waiting, answering_in
from services.answers import RULES
from services.evaluate.judge import (
    JudgeOptions,
    Judging,
    estimate_judging,
    follow_rule,
    judge_run,
)
from services.evaluate.write_back import tell_cutoff
from services.preflight.answering_requests import ANSWERING
from services.preflight.gold import GoldItem, faults, read_gold
from services.preflight.job_needs import Need, judge_needs, left_to_try, remember_passes, run_needs
from services.preflight.making_requests import MAKING, Builder, ItemInputs
from services.rag.context import Context, read_citations
from services.rag.model_generator import short_answer
from services.rag.run_options import RunOptions
from services.runs.estimate import RunEstimate, estimate_run
from services.runs.start import RunPlan

ItemResult = Literal["passed", "cut off", "not parsed", "wrong", "failed"]
"""`not parsed`: empty, or not the JSON or the call that was asked for; `failed`: refused, too long, or no
answer from the endpoint."""

BUILDERS: Mapping[str, Builder] = {**MAKING, **ANSWERING}
"""By the name of the prompt: how its request is made of what a gold item gives."""

ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("write-claims", "check-claims", "find-triples", "match-entities"), "extract"),
    **dict.fromkeys(
        ("write-question", "reword-question", "write-atomic-questions", "join-sequential", "join-parallel",
         "mend-question", "shorten-answer", "list-answer-forms"),
        "generate",
    ),
    **dict.fromkeys(
        (name for name in ANSWERING if not name.startswith(("judge-", "standard-", "reword-"))), "answer"
    ),
}  # fmt: skip
"""The role in which a prompt is asked; of those that are not listed, the judge's."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an item; `why` is empty where it passed, `reply` is what the model said."""

    item: GoldItem
    result: ItemResult
    why: str
    reply: str


@dataclass(frozen=True, slots=True)
class PromptResult:
    """How a model did on the items of a prompt; tokens are 0 for replies that were kept from before.

    `prompt` has the version with it ("write-claims@2"), `role` is the one in which it was asked.
    """

    prompt: str
    role: Role
    model: str
    outcomes: tuple[Outcome, ...]
    input_tokens: int
    output_tokens: int
    seconds: float

    @property
    def name(self) -> str:
        """The prompt without its version."""
        return self.prompt.partition("@")[0]

    def count(self, result: ItemResult, hard: bool | None = None) -> int:
        """How many items ended so; with `hard`, only of those that are hard, or are not."""
        return sum(one.result == result and hard in {None, one.item.hard} for one in self.outcomes)

    @property
    def hard(self) -> int:
        """How many items are hard."""
        return sum(one.item.hard for one in self.outcomes)

    @property
    def unfit(self) -> str:
        """Why the prompt can't be worked with, as the end of a sentence; empty where it can.

        It can't where no item passed, or where half of the replies were cut off, not parsed or failed.
        """
        asked = len(self.outcomes)
        broken = [(kind, self.count(kind)) for kind in ("cut off", "not parsed", "failed")]
        if 2 * sum(number for _, number in broken) >= asked:
            return ", ".join(f"{number} of {asked} {kind}" for kind, number in broken if number)
        return "" if self.count("passed") else f"none of {asked} passed"


def gold_request(item: GoldItem) -> ModelRequest:
    """The request that the product makes of an item.

    Raises:
        InputError: what the item gives lacks something.
    """
    return BUILDERS[item.prompt](ItemInputs(item.inputs))


def role_of(prompt: str) -> Role:
    """The role whose model is asked by a prompt."""
    return ROLES.get(prompt, "judge")


def ask_prompts(
    prompts: Sequence[str],
    settings: Settings,
    progress: Progress,
    items: int | None = None,
    budget: Budget | None = None,
    roles: Mapping[str, Role] | None = None,
) -> list[PromptResult]:
    """How the model of each prompt's role does on the first `items` items of each prompt, None for all.

    `roles` names the roles of prompts that a job asks in another one. Hard items come last in a file's order.

    Raises:
        InputError: the gold items of a prompt are missing or broken.
        SettingsError: no model is set for a role.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    gold = {prompt: read_gold(prompt)[:items] for prompt in prompts}
    progress.begin("gold items", sum(map(len, gold.values())))
    found = []
    with ExitStack() as stack:
        asked_as = {prompt: role_of(prompt) for prompt in prompts} | dict(roles or {})
        models = {
            role: stack.enter_context(open_model(role, settings, budget))
            for role in dict.fromkeys(asked_as.values())
        }
        for prompt in prompts:
            model = models[asked_as[prompt]]
            started = monotonic()
            outcomes, tokens_in, tokens_out = [], 0, 0
            requests = [gold_request(item) for item in gold[prompt]]
            for item, request, outcome in zip(gold[prompt], requests, model.ask(requests), strict=True):
                outcomes.append(check_reply(item, request, outcome))
                tokens_in += outcome.usage.input_tokens
                tokens_out += outcome.usage.output_tokens
                progress.advance()
            found.append(
                PromptResult(
                    load_prompt(prompt).id,
                    asked_as[prompt],
                    model.name,
                    tuple(outcomes),
                    tokens_in,
                    tokens_out,
                    monotonic() - started,
                )
            )
    progress.end(f"{sum(one.count('passed') for one in found)} of {sum(map(len, gold.values()))} passed")
    return found


def check_reply(item: GoldItem, request: ModelRequest, outcome: ModelOutcome) -> Outcome:
    """What became of an item, by what its conditions say of the reply."""
    if isinstance(outcome, Failure):
        kinds: dict[str, ItemResult] = {
            "cut off": "cut off", "invalid JSON": "not parsed", "empty": "not parsed"
        }  # fmt: skip
        return Outcome(item, kinds.get(outcome.kind, "failed"), outcome.message, "")
    if request.tools and not outcome.calls and not outcome.text:
        return Outcome(item, "not parsed", "the reply calls no tool", outcome.text)
    try:
        value = value_of(request, outcome)
    except ValueError as error:
        return Outcome(item, "not parsed", str(error), outcome.text)
    broken = faults(item.expect, value)
    return Outcome(item, "wrong" if broken else "passed", "; ".join(broken), _reply_text(outcome))


def value_of(request: ModelRequest, reply: Reply) -> JsonValue:
    """What conditions look at: the JSON of a reply; of one with tools, text and calls; else the text.

    With a text come the `answer` in it and the numbers of passages that it has `cited`.

    Raises:
        ValueError: the arguments of a call are no JSON object.
    """
    if request.schema is not None:
        return reply.value
    if request.tools:
        calls: list[JsonValue] = [
            {"name": call.name, "arguments": read_arguments(call)} for call in reply.calls
        ]
        return {"text": reply.text, "calls": calls}
    cited = read_citations(reply.text, Context())
    return {"text": reply.text, "answer": short_answer(cited.text), "cited": list(cited.unknown)}


def _reply_text(reply: Reply) -> str:
    calls = [f"{call.name}({call.arguments})" for call in reply.calls]
    return " ".join(filter(None, (reply.text, *calls)))


ITEMS = 3
"""Gold items that each prompt is tried on before a job."""

Costs = Callable[[], Mapping[str, Estimate | RunEstimate]]
"""What a job would take, by its parts; empty where it can't be counted yet."""


def prepare_run(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    plan: RunPlan,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    budget: Budget | None,
) -> None:
    """As `prepare`, for the pending answers of a run; nothing where the rules answer, or all is answered.
    What the model may have read before is told, too.

    Raises:
        UserError, SettingsError, ModelError: as `prepare`.
    """
    if options.generator != "model" or not plan.asks:
        return
    tell_cutoff(graph, corpus, plan.cutoff, progress)
    prepare(
        run_needs([options.system], options.evidence),
        lambda: {"answers": estimate_run(graph, corpus, options, plan, settings, embedder)},
        settings,
        progress,
        budget,
    )


def prepare(
    needs: Sequence[Need], costs: Costs, settings: Settings, progress: Progress, budget: Budget | None
) -> None:
    """Tell a progress what a job would take, and try those of its prompts that have not passed before.

    Nothing where no model is asked; nothing is tried with HOPGRADE_PREFLIGHT=false.

    Raises:
        UserError: a prompt can't be worked with; nothing of the job was asked yet.
        SettingsError: no model is set for a role.
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """

    def tell(line: str) -> None:
        part, _, told = line.partition(": ")
        progress.begin(part)
        progress.end(told)

    if open_needs := begin_trial(needs, costs, settings, tell):
        settle(try_needs(open_needs, settings, progress, budget), settings)


def begin_trial(
    needs: Sequence[Need],
    costs: Costs,
    settings: Settings,
    tell: Callable[[str], None],
    *,
    skip: bool = False,
) -> Sequence[Need]:
    """Tell what a job would take, a line for each part; which of its prompts are to be tried before.

    None where no model is asked, with `skip`, or with HOPGRADE_PREFLIGHT=false.
    """
    parts = costs()
    if parts and not any(map(asks_model, parts.values())):
        return ()
    for line in cost_lines(parts):
        tell(line)
    return left_to_try(needs, settings) if settings.hopgrade_preflight and not skip else ()


def try_needs(
    needs: Sequence[Need], settings: Settings, progress: Progress, budget: Budget | None
) -> list[PromptResult]:
    """How the models of some prompts do on the first gold items of each; raises as `ask_prompts`."""
    roles = {need.prompt: need.role for need in needs}
    return ask_prompts(tuple(roles), settings, progress, ITEMS, budget, roles)


def settle(results: Sequence[PromptResult], settings: Settings) -> None:
    """Remember which prompts passed.

    Raises:
        UserError: one can't be worked with.
    """
    remember_passes((Need(one.name, one.role) for one in results if not one.unfit), settings)
    unfit = [one for one in results if one.unfit]
    if not unfit:
        return
    first = unfit[0]
    others = f", and {len(unfit) - 1} more" if len(unfit) > 1 else ""
    look = command("benchmark prompts --verbose --model", first.model, "--prompt", first.name)
    room = "give it more room (HOPGRADE_MODEL_OUTPUT_ROOM) or less to think (HOPGRADE_MODEL_REASONING), "
    raise UserError(
        f"the model {first.model!r} fails the prompt {first.name} ({first.unfit}){others}; "
        "nothing of the job was asked.",
        f"See what it said: {look}; then "
        f"{room if first.count('cut off') else ''}take another model, or go on without a trial: "
        "--no-preflight, or HOPGRADE_PREFLIGHT=false.",
    )


def cost_lines(parts: Mapping[str, Estimate | RunEstimate]) -> Iterator[str]:
    """What a job would take, a line a part, of the parts that ask anything."""
    for step, part in parts.items():
        if not asks_model(part):
            continue
        if isinstance(part, RunEstimate):
            calls, given, made = part.calls_expected, part.input_tokens_expected, part.output_tokens_expected
            money = part.money_expected
        else:
            calls, given, made = part.calls - part.cached, part.input_tokens, part.output_tokens
            money = part.money
        yield (
            f"The job, {step}: about {format_calls(calls)}, {given:,} tokens in and {made:,} out"
            f"{in_money(money)}; at most {part.input_tokens_at_most:,} in and "
            f"{part.output_tokens_at_most:,} out{in_money(part.money_at_most)}."
        )


def asks_model(part: Estimate | RunEstimate) -> bool:
    """Whether a part of a job takes calls that are not kept."""
    return part.calls_at_most > 0 if isinstance(part, RunEstimate) else part.calls > part.cached


def in_money(amount: float | None) -> str:
    """An amount as the end of a phrase, empty where there is no price."""
    return "" if amount is None else f", {amount:.4f} in money"


def judged_by(judge: str | None, settings: Settings) -> Settings:
    """Settings in which the model of this name judges; None leaves it to the settings."""
    return settings if judge is None else settings.model_copy(update={"hopgrade_judge_model": judge})


def check_rule(rule: str, options: JudgeOptions) -> None:
    """Refuse options that only a model can follow.

    Raises:
        SettingsError: there is one.
    """
    if any((options.second, options.same_judge, options.exact_too, options.limit)):
        raise SettingsError(
            f"{rule} is a rule and asks no model.",
            "Leave --second, --same-judge, --exact-too and --limit out.",
        )


def judge_answers(
    graph: Graph,
    corpus: str,
    run: str,
    judge: str | None,
    options: JudgeOptions,
    settings: Settings,
    progress: Progress,
    waiting: Waiting | None = None,
) -> Judging | None:
    """Let a rule or a model, by its name, judge a run; see `services.evaluate.judge.judge_run`.

    None for `judge` is the model of the settings. None comes back where a rule judged, which counts nothing.
    `waiting` lets it wait for whoever works on the run; without it that is refused.

    Raises:
        UserError, NothingToDoError: as `services.evaluate.judge.plan_judging`, or the model fails its trial.
        SettingsError: no model is set for the judge, or an option is one that a rule can't follow.
        CorpusError: another job works on this run.
        ModelError: the model can't go on; what was judged is kept.
    """
    if judge in RULES:
        check_rule(RULES[judge], options)
        let_rule_judge(graph, corpus, run, RULES[judge], progress, waiting)
        return None
    settings = judged_by(judge, settings)
    budget = role_budget("judge", settings)
    with (
        answering_in(graph, corpus, run, waiting) as mine,
        open_model("judge", settings, budget) as model,
    ):
        prepare(
            judge_needs(options.scale),
            lambda: {"judging": estimate_judging(mine, corpus, run, model, options)},
            settings,
            progress,
            budget,
        )
        return judge_run(mine, corpus, run, model, options, progress)


def let_rule_judge(
    graph: Graph, corpus: str, run: str, rule: str, progress: Progress, waiting: Waiting | None = None
) -> None:
    """Let a rule, by its name in `services.answers.RULES`, decide what counts as right in a run."""
    with answering_in(graph, corpus, run, waiting) as mine:
        follow_rule(mine, corpus, run, rule, progress)
