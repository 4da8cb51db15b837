"""Filters that ask a language model for its word on a question.

What a model is asked about a question: is it clear, is it sound, what is its answer.

Everything that an article or a model wrote stands inside a fence. A request depends on the draft and the
passages only, so that the same question has the same answer in the cache.

A solver that asks a language model, with passages or without any.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kg.llm.prompts import Prompt, fence, load_prompt, on_one_line
from kg.llm.protocol import Failure, JsonValue, Model, ModelOutcome, ModelRequest, Schema, json_object
from kg.queries import query
from kg.store.graph import Graph
from services.answers import exact_match, is_abstention
from services.questions.draft import Draft, Fact, QuestionKind
from services.questions.filters.name_use import any_named
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.filters.solver import NOT_CHECKED, Solved, Solver, SolveTask
from services.questions.generate import ArticleHead, ShownFacts, read_shown_facts

ANSWER_TOKENS = 1_000
VERDICT_TOKENS = 1_000
"""Room for models that think before they answer."""

EXPECTED_ANSWER = 10
EXPECTED_SIDES = 45
EXPECTED_VERDICT = 12
"""Tokens of an ordinary answer: of the recorded ones with their JSON, an answer is 9, a "sound" 9 and a
refusal 35."""

_CHOOSING: frozenset[QuestionKind] = frozenset({"comparison", "temporal", "parallel"})
_WORD_TYPES = frozenset({"YES_NO", "ORDER"})

_SENSE: Mapping[QuestionKind, str] = {
    "comparison": "comparison",
    "temporal": "comparison",
    "bridge entity": "bridge",
    "bridge topic": "bridge",
    "null": "null",
}
"""Which prompt judges the sense of a kind; of all others the one for chains."""

_SENSE_VERDICTS: Mapping[str, tuple[str, ...]] = {
    "chain": ("sound", "forced", "mixed up", "joined", "misread", "senseless"),
    "comparison": ("sound", "unlike", "unsupported", "mixed up", "joined", "wrong"),
    "bridge": ("sound", "mixed up", "loose", "wrong", "senseless"),
    "null": ("sound", "impossible", "contradicted", "senseless"),
}

_KINDS_OF_ANSWER = {"YES_NO": "Yes or No", "ORDER": "Before or After", "NONE": "Insufficient information"}
_ANY_NAME = "a name, a date or a number"


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as a model reads it."""

    text: str
    head: ArticleHead


def alone_request(draft: Draft) -> ModelRequest:
    """Whether question and answer can be understood on their own, the answer as one of its kind."""
    return _request(
        load_prompt("check-question-alone"),
        _ALONE,
        VERDICT_TOKENS,
        EXPECTED_VERDICT,
        question=_question(draft),
        answer=fence(draft.answer, "answer"),
        kind=_KINDS_OF_ANSWER.get(draft.answer_type, _ANY_NAME),
    )


def sense_request(draft: Draft, shown: ShownFacts) -> ModelRequest:
    """Whether the question says what its facts say, by the prompt of its kind."""
    sort = _SENSE.get(draft.kind, "chain")
    question = f"{on_one_line(draft.text)}\nAnswer: {on_one_line(draft.answer)}"
    return _request(
        load_prompt(f"check-question-{sort}"),
        _verdict("soundness", _SENSE_VERDICTS[sort]),
        VERDICT_TOKENS,
        EXPECTED_VERDICT,
        question=fence(question, "question and answer"),
        facts=shown.facts(draft.facts, titles=draft.kind == "bridge topic"),
        names=shown.names(draft.stops, draft.facts, draft.path),
    )


def is_guessable(draft: Draft) -> bool:
    """Whether a guess is right about half of the time: yes or no, before or after, one of two."""
    return draft.kind in _CHOOSING or draft.answer_type in _WORD_TYPES


def closed_book_request(draft: Draft) -> ModelRequest:
    """The answer without any text; where a guess may be right, with what is known of each side."""
    if is_guessable(draft):
        prompt, schema, expected = load_prompt("compare-from-memory"), _SIDES, EXPECTED_SIDES
    else:
        prompt, schema, expected = load_prompt("answer-closed-book"), _ANSWER, EXPECTED_ANSWER
    return _request(prompt, schema, ANSWER_TOKENS, expected, question=_question(draft))


def evidence_request(draft: Draft, passages: Sequence[ChunkText]) -> ModelRequest:
    """The answer from passages, which come in no telling order."""
    shown = "\n\n".join(
        fence(
            f"{on_one_line(one.head.title)} ({one.head.origin or 'no source'})\n{one.text}",
            f"passage {number}",
        )
        for number, one in enumerate(sorted(passages, key=lambda one: (one.head.title, one.text)), start=1)
    )
    prompt = load_prompt("answer-from-evidence")
    return _request(
        prompt, _ANSWER, ANSWER_TOKENS, EXPECTED_ANSWER, question=_question(draft), passages=shown
    )


def same_answer_request(draft: Draft, answer: str) -> ModelRequest:
    """Whether an answer says the same as the draft's."""
    accepted = "\n".join(dict.fromkeys(map(on_one_line, (draft.answer, *draft.accepted))))
    return _request(
        load_prompt("compare-answers"),
        _SAME,
        VERDICT_TOKENS,
        EXPECTED_VERDICT,
        question=_question(draft),
        right=fence(accepted, "right answer"),
        given=fence(answer, "given answer"),
    )


def _request(prompt: Prompt, schema: Schema, room: int, expected: int, **values: str) -> ModelRequest:
    return ModelRequest(
        prompt.fill(**values), prompt.id, schema, max_output_tokens=room, expected_output_tokens=expected
    )


def _question(draft: Draft) -> str:
    return fence(on_one_line(draft.text), "question")


_TEXT: Mapping[str, JsonValue] = {"type": "string"}


def _schema(name: str, **properties: JsonValue) -> Schema:
    return Schema(name, json_object(**properties))


def _verdict(name: str, verdicts: Sequence[str]) -> Schema:
    return _schema(name, verdict={"type": "string", "enum": list(verdicts)}, reason=_TEXT)


_ALONE = _verdict("clarity", ("clear", "unclear"))
_ANSWER = _schema("answer", answer=_TEXT)
_SIDES = _schema(
    "comparison",
    sides={"type": "array", "items": json_object(name=_TEXT, known=_TEXT)},
    answer=_TEXT,
)
_SAME = _schema("sameness", same={"type": "boolean"}, reason=_TEXT)


_YEAR = re.compile(r"\b\d{4}\b")


@dataclass(frozen=True, slots=True)
class ModelSolver:
    """Asks for the answer, from passages or, where a task has none, from memory.

    An answer is right if it equals the question's after normalisation, in any accepted spelling; else the
    same model says whether it means the same. From memory, an answer that a guess may get right counts only
    where the model tells each side that it compares, and tells it as the facts do.
    """

    graph: Graph
    model: Model

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def solve(self, tasks: Sequence[SolveTask]) -> list[Solved]:
        """One outcome a task, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        outcomes = list(self.model.ask(solve_requests(self.graph, tasks)))
        solved = [_read(task.draft, outcome) for task, outcome in zip(tasks, outcomes, strict=True)]
        doubtful = [at for at, one in enumerate(solved) if one.answer and not one.right]
        comparable = [at for at in doubtful if tasks[at].draft.kind != "null"]
        judged = self.model.ask(same_answer_request(tasks[at].draft, solved[at].answer) for at in comparable)
        for at, outcome in zip(comparable, judged, strict=True):
            solved[at] = _judged(solved[at], outcome)
        return solved


def solve_requests(graph: Graph, tasks: Sequence[SolveTask]) -> list[ModelRequest]:
    """What a model is asked first for each task, before any comparison of answers."""
    ids = sorted({chunk for task in tasks for chunk in task.chunks})
    rows = graph.read_in_batches(query("chunks/read_chunks"), ids)
    texts = {
        row["id"]: ChunkText(row["text"], ArticleHead(row["title"], row["source"], row["published"]))
        for row in rows
    }
    return [
        evidence_request(task.draft, [texts[chunk] for chunk in task.chunks if chunk in texts])
        if task.chunks
        else closed_book_request(task.draft)
        for task in tasks
    ]


def _read(draft: Draft, outcome: ModelOutcome) -> Solved:
    if isinstance(outcome, Failure):
        return Solved(failure=outcome.message)
    answer = _member(outcome.value, "answer")
    text = answer.strip() if isinstance(answer, str) else ""
    if is_abstention(text) or not _tells_its_sides(draft, _member(outcome.value, "sides")):
        return Solved()
    return Solved(text, right=draft.kind != "null" and exact_match(text, draft.answer, draft.accepted))


def _tells_its_sides(draft: Draft, sides: JsonValue) -> bool:
    """Whether what is said of the sides shows knowledge; answers that name no sides are none of this sort.

    Both must be told, and of two facts that which the question does not name must stand in one of them, of a
    date at least the year.
    """
    if not isinstance(sides, list):
        return True
    values = (str(_member(side, "known") or "").strip() for side in sides)
    told = [value for value in values if value and not is_abstention(value)]
    known = sum(_is_told(draft, fact, told) for fact in draft.facts)
    return len(told) > 1 and known >= min(2, len(draft.facts))


def _is_told(draft: Draft, fact: Fact, told: Sequence[str]) -> bool:
    ends = [end for end in (fact.subject, fact.object) if end and not any_named(draft.text, [end])]
    text = " ; ".join(told)
    return not ends or any(
        any_named(text, _names(draft, end)) or bool({*_YEAR.findall(end)} & {*_YEAR.findall(text)})
        for end in ends
    )


def _names(draft: Draft, end: str) -> tuple[str, ...]:
    """The names of the entity that a fact's end is, as far as the question's stops tell."""
    return next((stop.names for stop in draft.stops if end in stop.names), (end,))


def _judged(solved: Solved, outcome: ModelOutcome) -> Solved:
    if isinstance(outcome, Failure):
        return Solved(solved.answer, failure=outcome.message)
    return Solved(solved.answer, right=_member(outcome.value, "same") is True)


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None


LONGEST_REASON = 160


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """Passes what the model gives the good verdict."""

    name: str
    model: Model
    requests: Callable[[Sequence[Draft]], Sequence[ModelRequest]]
    good: str

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        return [self._read(outcome) for outcome in self.model.ask(self.requests(drafts))]

    def _read(self, outcome: ModelOutcome) -> Verdict:
        if isinstance(outcome, Failure):
            return fail(f"{NOT_CHECKED}{outcome.message}")
        value = outcome.value if isinstance(outcome.value, dict) else {}
        if value.get("verdict") == self.good:
            return PASS
        reason = " ".join(str(value.get("reason", "")).split())[:LONGEST_REASON].rstrip(".")
        return fail(f"{value.get('verdict')}: {reason}".rstrip(": "))


def alone_requests(drafts: Sequence[Draft]) -> list[ModelRequest]:
    """Whether each question can be understood on its own."""
    return [alone_request(draft) for draft in drafts]


def sense_requests(graph: Graph, drafts: Sequence[Draft]) -> list[ModelRequest]:
    """Whether each question says what its facts say, which are shown as `ShownFacts` shows them."""
    facts = (fact for draft in drafts for fact in draft.facts)
    shown = read_shown_facts(graph, facts, (draft.path for draft in drafts))
    return [sense_request(draft, shown) for draft in drafts]


@dataclass(frozen=True, slots=True)
class ClosedBookFails:
    """Without any text the solver fails (AgenticRAGTracer, section 3.3); null questions pass."""

    solver: Solver
    name: str

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        asked = [at for at, draft in enumerate(drafts) if draft.kind != "null"]
        verdicts = [PASS] * len(drafts)
        solved = self.solver.solve([SolveTask(drafts[at], ()) for at in asked])
        for at, one in zip(asked, solved, strict=True):
            if one.failure:
                verdicts[at] = fail(f"{NOT_CHECKED}{one.failure}")
            elif one.right:
                verdicts[at] = fail(f'{self.solver.name} answers "{one.answer}" from memory')
        return verdicts
