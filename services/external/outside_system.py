"""A system of one's own in the shape of a RAG system, so that runs, matrix and reports need not know.

A system that is an object of the user's own Python code, named as MODULE:NAME.

A chat endpoint as a whole system: asked for answers from memory, or sent the bare question.

The bare question is for an endpoint that looks things up by itself and has its own instructions.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from time import monotonic
from traceback import extract_tb
from types import TracebackType

from kg.errors import HopgradeError, ModelUnavailableError, SettingsError
from kg.ids import content_hash
from kg.llm.budget import Budget
from kg.llm.prompts import load_prompt
from kg.llm.protocol import (
    Estimate,
    Failure,
    Message,
    Model,
    ModelOutcome,
    ModelRequest,
    Usage,
)
from kg.llm.roles import open_model, role_budget, role_endpoint
from kg.own_system import OwnAnswer, OwnStep, OwnSystem
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.external.align import Aligner, open_aligner
from services.external.calls import Calls, NumberedAnswers, Patience, open_calls
from services.rag.answering import QUESTIONS_A_BATCH
from services.rag.model_generator import (
    ANSWER_TOKENS,
    FROM_MEMORY,
    USUAL_TOKENS,
    memory_request,
    short_answer,
)
from services.rag.protocol import ExternalSystem, Hit, RagAnswer, RagQuestion, RagSystem, RetrievedChunk, Step

FEWEST_TO_STOP = 8
"""Where all of so many questions failed, the run stops: the system is down, and not the questions hard."""

_NO_SEARCH = frozenset({"plan", "decompose", "rerank", "answer"})
"""Actions that find no texts by themselves."""

BATCH_FOR_EACH = 4
"""Questions of a batch for each that may be under way: a slow one then holds up few others."""

TakeAnswers = Callable[[Sequence[tuple[RagQuestion, OwnAnswer]]], None]
"""Takes answers as they come, each beside its question."""


@dataclass(frozen=True, slots=True)
class ExternalRagSystem:
    """Answers by `ask`, which hands answers over as they come; what was retrieved is aligned to chunks.

    With `retrieval_reported`, an answer whose list of retrieved texts is empty retrieved nothing; without,
    only answers tell that name a text, or a step that searched and found none. One that has no such list
    never tells.
    """

    name: str
    ask: Callable[[Sequence[RagQuestion], TakeAnswers], None]
    aligner: Callable[[], Aligner]
    retrieval_reported: bool = False

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        answers: dict[str, RagAnswer] = {}
        self.stream(questions, lambda part: answers.update({one.question: one for one in part}))
        return [answers[question.id] for question in questions]

    def stream(self, questions: Sequence[RagQuestion], take: Callable[[Sequence[RagAnswer]], None]) -> None:
        """The answers as they come; see `services.rag.protocol.StreamingSystem`."""
        self.ask(questions, lambda part: take(self._align_answers(part)))

    def _align_answers(self, answers: Sequence[tuple[RagQuestion, OwnAnswer]]) -> list[RagAnswer]:
        texts = [text for _, answer in answers for text in answer.retrieved]
        chunks = iter(self.aligner().align(texts) if texts else ())
        return [
            self._make_answer(question, answer, [next(chunks) for _ in answer.retrieved])
            for question, answer in answers
        ]

    def _make_answer(
        self, question: RagQuestion, answer: OwnAnswer, chunks: Sequence[tuple[str, ...]]
    ) -> RagAnswer:
        searched = answer.tells_retrieved and any(map(_says_it_searches, answer.steps))
        tells = self.retrieval_reported and (answer.tells_retrieved or bool(answer.error))
        told = tells or bool(answer.retrieved) or searched
        answer = _place_texts(answer)
        ranked = _rank_chunks(answer, chunks)
        return RagAnswer(
            question=question.id,
            text="" if answer.error else answer.text,
            retrieved=ranked,
            steps=_steps(question.text, answer, chunks, ranked),
            prompts=(),
            usage=Usage(answer.input_tokens, answer.output_tokens),
            cost=answer.cost,
            seconds=answer.seconds or 0.0,
            error=answer.error,
            unaligned=tuple(
                text.text or text.chunk or text.title or text.url
                for text, found in zip(answer.retrieved, chunks, strict=True)
                if not found
            ),
            retrieval_reported=told,
            steps_reported=bool(answer.steps),
            confidence=answer.confidence,
        )


def external_system(
    name: str,
    system: str,
    source: str,
    own: Callable[[], AbstractContextManager[OwnSystem]],
    patience: Patience,
    retrieval_reported: bool = False,
) -> ExternalSystem:
    """A system of one's own as what a run takes; `name`, `system` and `source` as in `ExternalSystem`.

    `own` gets it ready: `lambda: nullcontext(function)` for a function that needs nothing.
    """

    @contextmanager
    def open_system(graph: Graph, corpus: str) -> Iterator[RagSystem]:
        with own() as system_at_hand, open_calls(system_at_hand, patience) as calls:
            aligner = cache(partial(open_aligner, graph, corpus))
            yield ExternalRagSystem(name, partial(_ask, calls), aligner, retrieval_reported)

    return ExternalSystem(name, system, source, open_system, BATCH_FOR_EACH * patience.concurrency)


def _ask(calls: Calls, questions: Sequence[RagQuestion], take: TakeAnswers) -> None:
    """Ask all of a batch; failures are handed over once it is clear that the system is not down.

    Raises:
        ModelUnavailableError: all failed.
    """
    failed: list[tuple[RagQuestion, OwnAnswer]] = []
    alive = not calls.patience.stops

    def pass_on(answers: NumberedAnswers) -> None:
        nonlocal alive
        part = [(questions[number], answer) for number, answer in answers]
        alive = alive or not all(answer.error for _, answer in part)
        if alive:
            take([*failed, *part])
            failed.clear()
        else:
            failed.extend(part)

    calls.stream([question.text for question in questions], pass_on)
    if len(failed) >= FEWEST_TO_STOP:
        raise ModelUnavailableError(
            f"The system failed on all of {len(failed)} questions, the last time with: "
            f"{failed[-1][1].error}.",
            "What was answered before is kept. Mend the system, then start the run again; to keep failures "
            "as errors and go on, add --retry-failed.",
        )
    if failed:
        take(failed)


def _rank_chunks(answer: OwnAnswer, chunks: Sequence[tuple[str, ...]]) -> tuple[RetrievedChunk, ...]:
    """Each chunk at its first place; where the system gives no score, 1 / rank keeps the order."""
    first: dict[str, RetrievedChunk] = {}
    for text, found in zip(answer.retrieved, chunks, strict=True):
        for chunk in found:
            rank = len(first) + 1
            score = 1 / rank if text.score is None else text.score
            first.setdefault(chunk, RetrievedChunk(chunk, rank, score, text.step))
    return tuple(first.values())


def _says_it_searches(step: OwnStep) -> bool:
    return step.action == "retrieve" if step.retrieves is None else step.retrieves


def _may_search(step: OwnStep) -> bool:
    return step.action not in _NO_SEARCH if step.retrieves is None else step.retrieves


def _place_texts(answer: OwnAnswer) -> OwnAnswer:
    """Texts that all have the number 1 of a step that can't have found them go to the last that can: a system
    that does not number its texts knows all of them by then."""
    if not answer.steps or _may_search(answer.steps[0]) or any(text.step != 1 for text in answer.retrieved):
        return answer
    marked = [number for number, step in enumerate(answer.steps, start=1) if _says_it_searches(step)]
    able = marked or [number for number, step in enumerate(answer.steps, start=1) if _may_search(step)]
    if not able:
        return answer
    return replace(answer, retrieved=tuple(replace(text, step=able[-1]) for text in answer.retrieved))


def _steps(
    question: str, answer: OwnAnswer, chunks: Sequence[tuple[str, ...]], ranked: Sequence[RetrievedChunk]
) -> tuple[Step, ...]:
    """The system's own steps with what each retrieved; without any, its retrievals, for whatever it looked,
    and its answer.

    A text whose step the system does not list is in what was retrieved only.
    """
    seen = _hits_by_step(answer, chunks, {one.chunk: one.score for one in ranked})
    if answer.steps:
        return tuple(
            Step(
                index,
                step.action,
                step.query,
                step.observation,
                seen.get(index, ()),
                retrieves=_says_it_searches(step) or (step.retrieves is None and index in seen),
                top_k=step.top_k,
                thought=step.thought,
                fault=step.fault,
                usage=Usage(step.input_tokens, step.output_tokens),
                seconds=step.seconds,
            )
            for index, step in enumerate(answer.steps, start=1)
        )
    numbers = sorted({text.step for text in answer.retrieved})
    counts = [sum(text.step == number for text in answer.retrieved) for number in numbers]
    last = numbers[-1] if numbers else 0
    retrievals = [
        Step(number, "retrieve", "", f"{n} texts", seen.get(number, ()), retrieves=True)
        for number, n in zip(numbers, counts, strict=True)
    ]
    return (*retrievals, Step(last + 1, "answer", question, answer.error or answer.text))


def _hits_by_step(
    answer: OwnAnswer, chunks: Sequence[tuple[str, ...]], scores: Mapping[str, float]
) -> dict[int, tuple[Hit, ...]]:
    """What each step retrieved, in the system's order; a step whose texts are in no chunk is there, empty."""
    seen: dict[int, dict[str, Hit]] = {}
    for text, found in zip(answer.retrieved, chunks, strict=True):
        of_step = seen.setdefault(text.step, {})
        for chunk in found:
            of_step.setdefault(chunk, Hit(chunk, scores[chunk] if text.score is None else text.score))
    return {step: tuple(hits.values()) for step, hits in seen.items()}


_FORM = "Name it as module:name, for example my_rag:answer; the module is looked for in this folder too."


def load_object(name: str, folder: Path) -> object:
    """The object behind MODULE:NAME; `folder` is searched before everything that is installed.

    NAME may lead through attributes: my_rag:pipeline.run.

    Raises:
        SettingsError: there is no such module or name, or the module fails when it is imported.
    """
    module_name, colon, attribute = name.partition(":")
    if not colon or not module_name or not attribute:
        raise SettingsError(f"{name!r} does not name a callable.", _FORM)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        with ExitStack() as importing:
            importing.push(partial(_raise_with_line, module_name, folder))
            found: object = import_module(module_name)
    except ImportError as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and (module_name == missing or module_name.startswith(f"{missing}.")):
            raise SettingsError(f"there is no module {module_name!r}.", _FORM) from error
        raise SettingsError(
            f"the module {module_name!r} can't be imported: {error}.", "Install what it needs, or mend it."
        ) from error
    except SyntaxError as error:
        where = f"{error.filename}:{error.lineno}"
        raise SettingsError(f"{where}: {error.msg}.", "Mend the module.") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise SettingsError(f"{module_name!r} has no {attribute!r}.", _FORM)
        found = getattr(found, part)
    return found


def external_callable(
    name: str, system: OwnSystem, patience: Patience, generator: str = "", prompts: tuple[str, ...] = ()
) -> ExternalSystem:
    """A callable, known by its MODULE:NAME, as what a run takes.

    `generator` and `prompts` are of ours, where the callable only retrieves: others make the run anew. What
    it does inside can't be seen, so that a changed one has to be given another name of a run.
    """
    question = external_system(
        name=name.rpartition(":")[2],
        system=f"callable {name}",
        source=content_hash((name,)),
        own=lambda: nullcontext(system),
        patience=patience,
    )
    return replace(question, generator=generator, prompts=prompts)


def _raise_with_line(
    module: str,
    folder: Path,
    kind: type[BaseException] | None,
    error: BaseException | None,
    at: TracebackType | None,
) -> bool:
    """Turn what a module raises into one sentence with the line of the user's code that it came from."""
    # What an import itself may raise is told by the caller.
    if not isinstance(error, Exception | SystemExit) or isinstance(
        error, HopgradeError | ImportError | SyntaxError
    ):
        return False
    frames = extract_tb(at)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)] or frames
    said = " ".join(str(error).split())
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    raise SettingsError(
        f"the module {module!r} fails when it is imported, at {own[-1].filename}:{own[-1].lineno}: {what}.",
        "Mend the module.",
    ) from error


BARE = "question-alone"
"""What stands for the prompt where there is none."""


@dataclass(frozen=True, slots=True)
class ChatSystem:
    """A model that is given no passages."""

    model: Model
    budget: Budget
    bare: bool
    name: str = "chat"

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        started = monotonic()
        requests = [_request(question.text, self.bare) for question in questions]
        outcomes = list(self.model.ask(requests))
        seconds = (monotonic() - started) / max(len(questions), 1)
        return [
            self._make_answer(question, request.prompt, outcome, seconds)
            for question, request, outcome in zip(questions, requests, outcomes, strict=True)
        ]

    def _make_answer(
        self, question: RagQuestion, prompt: str, outcome: ModelOutcome, seconds: float
    ) -> RagAnswer:
        error = outcome.message if isinstance(outcome, Failure) else ""
        text = "" if isinstance(outcome, Failure) else short_answer(outcome.text)
        return RagAnswer(
            question=question.id,
            text=text,
            retrieved=(),
            steps=(Step(1, "answer", question.text, error or text, usage=outcome.usage, seconds=seconds),),
            prompts=(prompt,),
            usage=outcome.usage,
            cost=self.budget.money_of(outcome.usage),
            seconds=seconds,
            error=error,
            retrieval_reported=False,
        )


def external_chat(settings: Settings, budget: Budget | None, bare: bool) -> ExternalSystem:
    """The model of the role "answer" without our retrieval, as what a run takes.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    endpoint = role_endpoint("answer", settings)
    spent = role_budget("answer", settings) if budget is None else budget
    prompt = BARE if bare else load_prompt(FROM_MEMORY).id

    @contextmanager
    def open_system(_graph: Graph, _corpus: str) -> Iterator[RagSystem]:
        with open_model("answer", settings, spent) as model:
            yield ChatSystem(model, spent, bare)

    return ExternalSystem(
        name=f"chat-{endpoint.model}{'-bare' if bare else ''}",
        system="chat, bare question" if bare else "chat, from memory",
        source=content_hash((endpoint.base_url or "", endpoint.model, prompt)),
        open=open_system,
        questions_a_batch=QUESTIONS_A_BATCH,
        generator=endpoint.model,
        prompts=(prompt,),
    )


def estimate_chat(
    graph: Graph, questions: Sequence[str], settings: Settings, budget: Budget, bare: bool
) -> Estimate:
    """What the answers to some questions, given by their ids, would take; nothing is sent.

    Raises:
        SettingsError: no model is set for the role, or neither a key nor a base URL.
    """
    rows = graph.read_in_batches(query("questions/read_queries"), questions)
    with open_model("answer", settings, budget) as model:
        return model.estimate(_request(row["text"], bare) for row in rows)


def _request(question: str, bare: bool) -> ModelRequest:
    if bare:
        return ModelRequest(
            (Message("user", question),),
            BARE,
            max_output_tokens=ANSWER_TOKENS,
            expected_output_tokens=USUAL_TOKENS[FROM_MEMORY],
        )
    return memory_request(question)
