"""Why a question was failed and at which hop, by rules over the trace and the gold chain.

The hops are gone through in the order of the chain; the first that was not got over decides
(`first_failing`). A hop was got over if its answer turned up in what the system said after its first
search. If it was not:

- none of its evidence was seen: retrieval if a search asked for the hop, else planning;
- evidence was seen, and the system then answered the hop's question with something else, asked for the hop
  again, or asked for the next hop of something else: reasoning;
- evidence was seen and the system says nothing of the hop: the answer to the prefix question that ends here
  decides, where it was asked and the one before was right; else the next hop is looked at. If that, or a
  later one with nothing said between, was neither asked for nor seen, and the last search was for the first
  of which nothing is said, the system never got further than that one: reasoning, there.

Where no hop fails so, everything was there and the answer is wrong: reasoning, at the last hop. Before all
this, an answer that has the right content in another form is a failure of form (`answer_form`), and a system
that gave no answer, or refused to, is in error. An answer where nothing is to be found (a null question) is
a failure of reasoning. Which search asked for which hop tells `asked_hops`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from services.evaluate.attribution.answer_form import wrong_form
from services.evaluate.attribution.hop_states import HopState
from services.evaluate.hop_aware.traces import Trace
from services.evaluate.hop_aware.tracks import NULL

Cause = Literal["planning", "retrieval", "reasoning", "answer form", "error", "not told"]
CAUSES: tuple[Cause, ...] = get_args(Cause)

REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Attribution:
    """The cause of a failure, the number of the first failing hop where one can be told, and the reason.

    "not told" is the cause where a system keeps to itself what it retrieved.
    """

    cause: Cause
    hop: int | None
    why: str


def is_right(trace: Trace) -> bool:
    """Whether an answer counts as right; that a null question has no answer is right however it is said."""
    if trace.error:
        return False
    return trace.correct or (trace.kind == NULL and trace.abstained)


def attribute(trace: Trace, states: Sequence[HopState]) -> Attribution | None:
    """Why an answer is wrong, from what became of each hop; None for a right one."""
    if is_right(trace):
        return None
    outright = _whatever_the_hops(trace)
    if outright is not None:
        return outright
    last = states[-1].number if states else None
    return first_failing(trace, states) or Attribution(
        "reasoning", last, "evidence for every hop was seen, and the answer is not right"
    )


def _whatever_the_hops(trace: Trace) -> Attribution | None:
    """The cause of a failure that has nothing to do with the hops, or about whose hops nothing is known."""
    why = ""
    cause: Cause = "error"
    if trace.error:
        why = f"it gave no answer: {trace.error}"
    elif trace.abstained and any(step.fault == REFUSAL for step in trace.steps):
        why = "it refused to answer"
    elif trace.kind == NULL:
        cause, why = "reasoning", "it answered what the corpus does not tell"
    elif form := wrong_form(trace):
        cause, why = "answer form", form
    elif not trace.told and not trace.seen:
        cause, why = "not told", "the system does not tell what it retrieved"
    return Attribution(cause, None, why) if why else None


def first_failing(trace: Trace, states: Sequence[HopState]) -> Attribution | None:
    """The first hop that was not got over, with the cause; None where every one was, or nothing tells."""
    prefixes = {one.hops: one.correct and not one.error for one in trace.prefixes}
    unsaid: HopState | None = None
    for place, state in enumerate(states):
        if state.stated:
            unsaid = None
            continue
        if state.seen is None:
            if not state.provable:
                continue
            found = _unseen(state)
            if unsaid is not None and found.cause == "planning" and _ends_with(trace, unsaid):
                return _left_there(unsaid)
            return found
        following = states[place + 1] if place + 1 < len(states) else None
        why = _misused(state, following, state.seen)
        if why:
            return Attribution("reasoning", state.number, why)
        if prefixes.get(state.number) is False and prefixes.get(state.number - 1, True):
            return Attribution(
                "reasoning",
                state.number,
                f"evidence for hop {state.number} was seen, and its prefix question is answered wrong",
            )
        if state.extracted or prefixes.get(state.number) is True:
            unsaid = None
        elif unsaid is None:
            unsaid = state
    return None


def _ends_with(trace: Trace, state: HopState) -> bool:
    """Whether the last search of a trace is one for this hop, or the one that first saw its evidence."""
    last = max((step.index for step in trace.steps if step.retrieves), default=0)
    return last in (state.seen, *state.asked)


def _left_there(unsaid: HopState) -> Attribution:
    """The failure of a system that never said what a hop's evidence told, nor asked for what follows."""
    hop = unsaid.number
    return Attribution(
        "reasoning",
        hop,
        f"hop {hop}'s evidence was seen, its answer never turned up, and no step asked for what follows",
    )


def _unseen(state: HopState) -> Attribution:
    hop = state.number
    if not state.tellable:
        return Attribution(
            "retrieval", hop, f"no evidence for hop {hop} was seen; what was asked for can't be told"
        )
    if state.asked:
        return Attribution(
            "retrieval", hop, f"step {state.asked[0]} asked for hop {hop}, and its evidence was never seen"
        )
    if state.elsewhere:
        return Attribution(
            "planning", hop, f"step {state.elsewhere[0]} asked for hop {hop}, but of something else"
        )
    if state.aside:
        return Attribution(
            "planning",
            hop,
            f"step {state.aside[0]} names where hop {hop} begins, and asks for something else",
        )
    return Attribution("planning", hop, f"no step asked for hop {hop}")


def _misused(state: HopState, following: HopState | None, seen: int) -> str:
    """What a system did that shows that it did not take the hop's answer from evidence that it saw."""
    hop = state.number
    if state.misread:
        return f"hop {hop}'s evidence was seen, and step {state.misread[0]} answered it wrong"
    again = [step for step in state.asked if step > seen]
    wrong_turn = [step for step in following.elsewhere if step > seen] if following is not None else []
    if wrong_turn:
        return f"hop {hop}'s evidence was seen, and step {wrong_turn[0]} went on from something else"
    if again and following is not None and following.goes_on and not set(again) & set(following.asked):
        return f"hop {hop}'s evidence was seen, and step {again[0]} asked for it again"
    return ""
