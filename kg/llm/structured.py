"""One request answered: in the endpoint's dialect, with room to think, read strictly, mended at most once."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kg.errors import BudgetReachedError
from kg.llm.budget import estimate_tokens
from kg.llm.calls import ChatCalls
from kg.llm.dialect import (
    Dialect,
    Dialects,
    is_broken_call,
    is_cut_off,
    is_filtered,
    is_too_long,
    schema_rule,
)
from kg.llm.protocol import (
    Failure,
    JsonValue,
    Message,
    ModelOutcome,
    ModelRequest,
    Reply,
    Schema,
    ToolCall,
    Usage,
)
from kg.llm.reading import NotTheJsonError, read_answer_json, read_json, without_thinking, written_calls
from kg.llm.wire import Answer, RejectedError

_FRAME_TOKENS = 8
"""What an endpoint adds to a message, at most."""

_LONGEST_DETAIL = 200
_CUT_REASONS = {"length", "max_tokens"}


@dataclass(frozen=True, slots=True)
class _Unusable:
    """An answer that is not the JSON that was asked for, and why; `messages` are those that it answers."""

    text: str
    reason: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class _CutOff:
    """An answer that did not fit into its room of so many tokens."""

    room: int
    thought: int


@dataclass
class Exchange:
    """One request on its way to its outcome, with what it has taken so far.

    An answer that is cut off is asked for once more with twice the room; one that is not the JSON that was
    asked for, once more with the reason and the schema.
    """

    request: ModelRequest
    room: int
    """Tokens that the model may write, thinking included."""
    calls: ChatCalls
    dialects: Dialects
    stopping: threading.Event
    usage: Usage = field(default_factory=Usage)

    def outcome(self) -> ModelOutcome:
        """The outcome, with the tokens of all calls that it took.

        Raises:
            ModelRefusedError: the endpoint refused for good.
            ModelUnavailableError: it does not answer.
            BudgetReachedError: the budget has no room for a call.
        """
        first = self._call()
        widened = isinstance(first, _CutOff)
        second = self._wider(first) if isinstance(first, _CutOff) else first
        if not isinstance(second, _Unusable):
            return self._finish(second)
        assert self.request.schema is not None
        again = Message(
            "user",
            f"That answer can't be used: {second.reason}. Give the whole answer again. "
            f"{schema_rule(self.request.schema)}",
        )
        mended = (*second.messages, Message("assistant", second.text), again)
        third = self._call(mended, doubled=widened)
        if isinstance(third, _CutOff) and not widened:
            third = self._wider(third, mended)
        return self._finish(third)

    def _finish(self, read: "Reply | Failure | _Unusable | _CutOff") -> ModelOutcome:
        match read:
            case Reply() | Failure():
                return replace(read, usage=self.usage)
            case _Unusable():
                return Failure("invalid JSON", f"asked twice; the second time, {read.reason}", self.usage)
            case _CutOff():
                thought = f", {read.thought:,} of them for thinking" if read.thought else ""
                return Failure("cut off", f"the answer reached {read.room:,} tokens{thought}", self.usage)

    def _wider(
        self, cut: _CutOff, messages: tuple[Message, ...] | None = None
    ) -> "Reply | Failure | _Unusable | _CutOff":
        """The answer in twice the room, where the endpoint has so much; what helped is remembered."""
        used = self.dialects.current
        if self._room(used, self._messages(used, messages), doubled=True) <= cut.room:
            return cut
        read = self._call(messages, doubled=True)
        if isinstance(read, Reply | _Unusable):
            self.dialects.note_room(used)
        return read

    def _call(
        self, messages: tuple[Message, ...] | None = None, doubled: bool = False
    ) -> "Reply | Failure | _Unusable | _CutOff":
        """One call, said anew as long as the endpoint teaches something about its dialect.

        Where the whole room fits neither the model nor what is left of the budget, it shrinks to that of the
        answer alone.
        """
        answer_alone = False
        poor: BudgetReachedError | None = None
        while True:
            dialect = self.dialects.current
            said = self._messages(dialect, messages)
            room = self._room(dialect, said, doubled)
            least = min(room, self.request.max_output_tokens)
            room = least if answer_alone else room
            fields = dialect.parameters(self.request, room)
            at_most = Usage(input_tokens(said, self.request, estimate_tokens), room)
            try:
                answer = self.calls.call(said, fields, at_most, self.stopping)
            except BudgetReachedError as error:
                if answer_alone or doubled or room == least:
                    raise
                answer_alone, poor = True, error
                continue
            except RejectedError as error:
                if doubled and _does_not_fit(error):
                    return _CutOff(room // 2, 0)
                ended = _ended_by(error, room, least)
                if ended is not None:
                    return ended
                if _does_not_fit(error):
                    self.dialects.learn_context(error.about)
                    answer_alone = self._room(self.dialects.current, said, doubled) >= room
                elif not self.dialects.learn(dialect, error.about, room):
                    raise
                continue
            if isinstance(answer, Failure):
                return answer
            self.usage += answer.usage
            read = self._read_answer(answer, said, room)
            if poor is not None and isinstance(read, _CutOff):
                raise poor
            if messages is None:
                self._note_fit(dialect, read)
            return read

    def _messages(self, dialect: Dialect, messages: tuple[Message, ...] | None) -> tuple[Message, ...]:
        return dialect.messages(self.request) if messages is None else messages

    def _room(self, dialect: Dialect, messages: tuple[Message, ...], doubled: bool) -> int:
        given = input_tokens(messages, self.request, estimate_tokens)
        return dialect.room(self.room * (2 if doubled else 1), self.request.max_output_tokens, given)

    def _note_fit(self, dialect: Dialect, read: "Reply | Failure | _Unusable | _CutOff") -> None:
        """Tell whether the endpoint held the model to a schema that stood in no message."""
        alone = dialect.answer_format == "schema" and not dialect.schema_in_message
        if self.request.schema is not None and alone and isinstance(read, Reply | _Unusable):
            self.dialects.note_fit(isinstance(read, Reply))

    def _read_answer(
        self, answer: Answer, messages: tuple[Message, ...], room: int
    ) -> "Reply | Failure | _Unusable | _CutOff":
        """What an answer says."""
        request = self.request
        if answer.refusal is not None:
            return Failure("refusal", answer.refusal[:_LONGEST_DETAIL])
        if answer.finish_reason == "content_filter":
            return Failure("refusal", "the endpoint's filter withheld the answer")
        cut = answer.finish_reason in _CUT_REASONS
        if request.schema is not None and not request.tools:
            read = _read_json(answer, request.schema, messages)
            # Some models fill what is left of their room with blanks: the answer is whole all the same.
            if not cut or isinstance(read, Reply):
                return read
        if cut:
            return _CutOff(room, answer.usage.reasoning_tokens)
        text = answer.text.strip() if request.with_thinking else without_thinking(answer.text)
        calls = (answer.calls or written_calls(text, request.tools)) if request.tools else ()
        return Reply(text, None, Usage(), calls=calls) if text or calls else _empty(answer)


def _does_not_fit(error: RejectedError) -> bool:
    return error.status == 413 or is_too_long(error.about)


def _ended_by(error: RejectedError, room: int, least: int) -> Failure | _CutOff | None:
    """What comes of a request that was refused; None where it may be said anew, as in less room."""
    if _does_not_fit(error):
        return Failure("too long", error.detail) if room == least else None
    if is_filtered(error.about):
        return Failure("refusal", error.detail)
    if is_cut_off(error.about):
        return _CutOff(room, 0)
    return Failure("invalid JSON", error.detail) if is_broken_call(error.about) else None


def cached_reply(text: str, request: ModelRequest) -> Reply | None:
    """The reply that a kept text is, none where it no longer fits what is asked."""
    if request.tools:
        return _cached_turn(text)
    value: JsonValue = None
    if request.schema is not None:
        try:
            value = read_json(text, request.schema.definition)
        except NotTheJsonError:
            return None
    return Reply(text, value, Usage(), cached=True)


def input_tokens(messages: tuple[Message, ...], request: ModelRequest, count: Callable[[str], int]) -> int:
    """What the input of a call takes, by a way to count a text's tokens; schema and tools count as input."""
    schema = "" if request.schema is None else json.dumps(request.schema.definition)
    calls = [call for message in messages for call in message.calls]
    texts = [
        *(message.content for message in messages),
        *(call.name + call.arguments for call in calls),
        *(tool.name + tool.about + json.dumps(tool.parameters) for tool in request.tools),
    ]
    return sum(map(count, texts)) + _FRAME_TOKENS * len(texts) + count(schema)


def text_to_keep(reply: Reply, request: ModelRequest) -> str:
    """What is kept of a reply, so that `cached_reply` makes the same of it."""
    if not request.tools:
        return reply.text
    calls = [[call.id, call.name, call.arguments] for call in reply.calls]
    return json.dumps({"text": reply.text, "calls": calls})


def _cached_turn(text: str) -> Reply | None:
    try:
        kept = json.loads(text)
        calls = tuple(ToolCall(*map(str, call)) for call in kept["calls"])
        return Reply(str(kept["text"]), None, Usage(), cached=True, calls=calls)
    except (ValueError, TypeError, KeyError):
        return None


def _read_json(answer: Answer, schema: Schema, messages: tuple[Message, ...]) -> Reply | Failure | _Unusable:
    # Some servers take a whole answer for thinking, where the model was told not to think.
    alone = answer.reasoning if not answer.text.strip() and _is_json(answer.reasoning) else answer.text
    try:
        text, value = read_answer_json(alone, schema.definition)
    except NotTheJsonError as error:
        text = without_thinking(answer.text)
        return _Unusable(text, str(error), messages) if text else _empty(answer)
    return Reply(text, value, Usage())


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _empty(answer: Answer) -> Failure:
    thought = " but thinking" if answer.text.strip() or answer.reasoning.strip() else ""
    return Failure("empty", f"the answer holds nothing{thought}")
