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

What agents are known to do on the way to a wrong answer, named.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from services.answers import NULL, token_f1
from services.evaluate.hop_states import HopState, HopWords, Search, holds, words_in, wrong_form
from services.evaluate.hop_traces import Trace

Behaviour = Literal["parrots", "loops", "wanders", "takes a wrong hop", "stops early", "ignores evidence"]
BEHAVIOURS: tuple[Behaviour, ...] = get_args(Behaviour)

ABOUT: dict[Behaviour, str] = {
    "parrots": "the answer repeats the question",
    "loops": "the same search is wanted three times, or the agent was stopped for going in a circle",
    "wanders": "most searches have nothing to do with the chain",
    "takes a wrong hop": "a search asks for a hop's relation of something else, or for something else of its "
    "start, and none asks for the hop",
    "stops early": "the searches follow the chain, and end before it does",
    "ignores evidence": "evidence for every hop was asked for and seen, and the answer names nothing of the "
    "chain",
}
"""What each means, for tables and docs."""

PARROT_F1 = 0.7
SAME_SEARCHES = 3
LEAST_SEARCHES = 2
"""With fewer searches, none can be most of them."""


def behaviours_of(
    trace: Trace, hops: Sequence[HopWords], states: Sequence[HopState], searches: Sequence[Search]
) -> tuple[Behaviour, ...]:
    """The behaviours that a wrong answer shows, in the order of `BEHAVIOURS`: none, one, or several.

    AgenticRAGTracer (sections 4.3 to 4.5) tells of chains that break off, run on, or go in circles, and draws
    no line between them; the lines are ours.
    """
    loops = _loops(trace, searches)
    wanders = _wanders(searches, states)
    # Who has the right content has followed the chain, whatever its searches were worded like.
    followed = bool(wrong_form(trace))
    wrong_hop = not followed and any(
        (state.elsewhere or state.aside) and not state.queries for state in states
    )
    stops = not (followed or loops or wanders or wrong_hop) and _stops_early(searches, states)
    shown: dict[Behaviour, bool] = {
        "parrots": bool(trace.answer_text.strip())
        and token_f1(trace.answer_text, trace.question_text) >= PARROT_F1,
        "loops": loops,
        "wanders": wanders,
        "takes a wrong hop": wrong_hop,
        "stops early": stops,
        "ignores evidence": not followed and _ignores_evidence(trace, hops, states),
    }
    return tuple(name for name in BEHAVIOURS if shown[name])


def unknown_behaviours(trace: Trace) -> frozenset[Behaviour]:
    """The behaviours of which a trace says nothing, because the system keeps to itself what they show in."""
    if not trace.steps_reported:
        return frozenset(BEHAVIOURS) - {"parrots"}
    return frozenset() if trace.retrieval_reported else frozenset({"ignores evidence"})


def _loops(trace: Trace, searches: Sequence[Search]) -> bool:
    wanted = Counter((words_in(one.step.query), one.step.filters) for one in searches if one.step.query)
    return any(step.fault == "loop" for step in trace.steps) or any(
        times >= SAME_SEARCHES for times in wanted.values()
    )


def _wanders(searches: Sequence[Search], states: Sequence[HopState]) -> bool:
    if len(searches) < LEAST_SEARCHES or not all(state.tellable for state in states):
        return False
    astray = [one for one in searches if not (one.asks.hops or one.asks.elsewhere or one.asks.aside)]
    return 2 * len(astray) > len(searches)


def _stops_early(searches: Sequence[Search], states: Sequence[HopState]) -> bool:
    if not states or not all(state.tellable for state in states) or not states[-1].goes_on:
        return False
    asked = [bool(state.queries) for state in states]
    # Hops from some number on were not asked for, and all before were.
    return len(searches) < len(states) and not asked[-1] and asked == sorted(asked, reverse=True)


def _ignores_evidence(trace: Trace, hops: Sequence[HopWords], states: Sequence[HopState]) -> bool:
    if not states or any(state.seen is None or not state.queries for state in states):
        return False
    given = words_in(trace.answer_text)
    return not any(holds(given, end) for hop in hops for end in hop.ends)


Cause = Literal["planning", "retrieval", "reasoning", "answer form", "error", "not told"]
CAUSES: tuple[Cause, ...] = get_args(Cause)

CAUSES_AND_EVIDENCE = (
    "A report and the page's front go by evidence alone: which hop's was not in the passages that the answer "
    "was read from. A cause here goes by all that was asked, seen and said on the way, so the two can differ."
)
"""Why the shares here are others than those of "lack the evidence of a hop"."""

REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Attribution:
    """The cause of a failure, the number of the first failing hop where one can be told, and the reason.

    "not told" is the cause where a system keeps to itself what it retrieved.
    """

    cause: Cause
    hop: int | None
    why: str


def attribute(trace: Trace, states: Sequence[HopState]) -> Attribution | None:
    """Why an answer is wrong, from what became of each hop; None for a right one.

    AgenticRAGTracer (section 4.4, appendix D) tells single cases; the rules are ours.
    """
    if trace.correct:
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
    elif not trace.retrieval_reported and not trace.chunks_seen:
        cause, why = "not told", "the system does not tell what it retrieved"
    return Attribution(cause, None, why) if why else None


def first_failing(trace: Trace, states: Sequence[HopState]) -> Attribution | None:
    """The first hop that was not got over, with the cause; None where every one was, or nothing tells."""
    prefixes = {one.hops: one.correct for one in trace.prefixes}
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
        why = _misuse(state, following, state.seen)
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
    return last in (state.seen, *state.queries)


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
    if state.queries:
        return Attribution(
            "retrieval", hop, f"step {state.queries[0]} asked for hop {hop}, and its evidence was never seen"
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


def _misuse(state: HopState, following: HopState | None, seen: int) -> str:
    """What a system did that shows that it did not take the hop's answer from evidence that it saw."""
    hop = state.number
    if state.misread:
        return f"hop {hop}'s evidence was seen, and step {state.misread[0]} answered it wrong"
    again = [step for step in state.queries if step > seen]
    wrong_turn = [step for step in following.elsewhere if step > seen] if following is not None else []
    if wrong_turn:
        return f"hop {hop}'s evidence was seen, and step {wrong_turn[0]} went on from something else"
    if again and following is not None and following.goes_on and not set(again) & set(following.queries):
        return f"hop {hop}'s evidence was seen, and step {again[0]} asked for it again"
    return ""
