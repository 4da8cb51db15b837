"""A system of one's own in the shape of a RAG system, so that runs, matrix and reports need not know."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial

from kg.errors import ModelUnavailableError
from kg.llm.protocol import Usage
from kg.own_system import OwnAnswer, OwnStep, OwnSystem
from kg.store.graph import Graph
from services.rag.outside import Outside
from services.rag.protocol import Answered, Asked, Hit, RagSystem, Retrieved, Step
from services.systems.align import Aligner, open_aligner
from services.systems.calls import Patience, open_calls

FEWEST_TO_STOP = 8
"""Where all of so many questions failed, the run stops: the system is down, and not the questions hard."""

_NO_SEARCH = frozenset({"plan", "decompose", "rerank", "answer"})
"""Actions that find no texts by themselves."""

BATCH_FOR_EACH = 4
"""Questions of a batch for each that may be under way: a killed run loses at most one batch."""


@dataclass(frozen=True, slots=True)
class OutsideSystem:
    """Answers by `ask`, in order; what was retrieved is aligned to chunks.

    With `tells_retrieval`, an answer whose list of retrieved texts is empty retrieved nothing; without, only
    answers tell that name a text, or a step that searched and found none. One that has no such list never
    tells.
    """

    name: str
    ask: Callable[[Sequence[Asked]], Sequence[OwnAnswer]]
    aligner: Callable[[], Aligner]
    tells_retrieval: bool = False

    def answer(self, questions: Sequence[Asked]) -> list[Answered]:
        """One answer a question, in order; see `services.rag.protocol.RagSystem`."""
        answers = self.ask(questions)
        texts = [text for answer in answers for text in answer.retrieved]
        chunks = iter(self.aligner().align(texts) if texts else ())
        return [
            self._answered(question, answer, [next(chunks) for _ in answer.retrieved])
            for question, answer in zip(questions, answers, strict=True)
        ]

    def _answered(self, question: Asked, answer: OwnAnswer, chunks: Sequence[tuple[str, ...]]) -> Answered:
        searched = answer.tells_retrieved and any(map(_says_it_searches, answer.steps))
        tells = self.tells_retrieval and (answer.tells_retrieved or bool(answer.error))
        told = tells or bool(answer.retrieved) or searched
        answer = _placed(answer)
        ranked = _ranked(answer, chunks)
        return Answered(
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
            tells_retrieval=told,
            tells_steps=bool(answer.steps),
        )


def own_outside(
    name: str,
    system: str,
    source: str,
    own: Callable[[], AbstractContextManager[OwnSystem]],
    patience: Patience,
    tells_retrieval: bool = False,
) -> Outside:
    """A system of one's own as what a run takes; `name`, `system` and `source` as in `Outside`.

    `own` gets it ready: `lambda: nullcontext(function)` for a function that needs nothing.
    """

    @contextmanager
    def opened(graph: Graph, corpus: str) -> Iterator[RagSystem]:
        with own() as system_at_hand, open_calls(system_at_hand, patience) as calls:
            yield OutsideSystem(
                name,
                lambda questions: _alive(calls.ask([question.text for question in questions]), patience),
                cache(partial(open_aligner, graph, corpus)),
                tells_retrieval,
            )

    return Outside(name, system, source, opened, BATCH_FOR_EACH * patience.concurrency)


def _alive(answers: Sequence[OwnAnswer], patience: Patience) -> Sequence[OwnAnswer]:
    if patience.stops and len(answers) >= FEWEST_TO_STOP and all(answer.error for answer in answers):
        raise ModelUnavailableError(
            f"The system failed on all of {len(answers)} questions, the last time with: {answers[-1].error}.",
            "What was answered before is kept. Mend the system, then start the run again; to keep failures "
            "as errors and go on, add --retry-failed.",
        )
    return answers


def _ranked(answer: OwnAnswer, chunks: Sequence[tuple[str, ...]]) -> tuple[Retrieved, ...]:
    """Each chunk at its first place; where the system gives no score, 1 / rank keeps the order."""
    first: dict[str, Retrieved] = {}
    for text, found in zip(answer.retrieved, chunks, strict=True):
        for chunk in found:
            rank = len(first) + 1
            score = 1 / rank if text.score is None else text.score
            first.setdefault(chunk, Retrieved(chunk, rank, score, text.step))
    return tuple(first.values())


def _says_it_searches(step: OwnStep) -> bool:
    return step.action == "retrieve" if step.retrieves is None else step.retrieves


def _may_search(step: OwnStep) -> bool:
    return step.action not in _NO_SEARCH if step.retrieves is None else step.retrieves


def _placed(answer: OwnAnswer) -> OwnAnswer:
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
    question: str, answer: OwnAnswer, chunks: Sequence[tuple[str, ...]], ranked: Sequence[Retrieved]
) -> tuple[Step, ...]:
    """The system's own steps with what each retrieved; without any, its retrievals, for whatever it looked,
    and its answer.

    A text whose step the system does not list is in what was retrieved only.
    """
    seen = _seen(answer, chunks, {one.chunk: one.score for one in ranked})
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


def _seen(
    answer: OwnAnswer, chunks: Sequence[tuple[str, ...]], scores: Mapping[str, float]
) -> dict[int, tuple[Hit, ...]]:
    """What each step retrieved, in the system's order; a step whose texts are in no chunk is there, empty."""
    seen: dict[int, dict[str, Hit]] = {}
    for text, found in zip(answer.retrieved, chunks, strict=True):
        of_step = seen.setdefault(text.step, {})
        for chunk in found:
            of_step.setdefault(chunk, Hit(chunk, scores[chunk] if text.score is None else text.score))
    return {step: tuple(hits.values()) for step, hits in seen.items()}
