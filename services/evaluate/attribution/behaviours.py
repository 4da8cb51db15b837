"""What agents are known to do on the way to a wrong answer, named."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, get_args

from services.evaluate.answers import token_f1
from services.evaluate.attribution.answer_form import wrong_form
from services.evaluate.attribution.asked_hops import HopWords
from services.evaluate.attribution.hop_states import HopState, Search
from services.evaluate.attribution.words_in_text import holds, words_in
from services.evaluate.hop_aware.traces import Trace

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
    """The behaviours that a wrong answer shows, in the order of `BEHAVIOURS`: none, one, or several."""
    loops = _loops(trace, searches)
    wanders = _wanders(searches, states)
    # Who has the right content has followed the chain, whatever its searches were worded like.
    followed = bool(wrong_form(trace))
    wrong_hop = not followed and any((state.elsewhere or state.aside) and not state.asked for state in states)
    stops = not (followed or loops or wanders or wrong_hop) and _stops_early(searches, states)
    shown: dict[Behaviour, bool] = {
        "parrots": bool(trace.given.strip()) and token_f1(trace.given, trace.asked) >= PARROT_F1,
        "loops": loops,
        "wanders": wanders,
        "takes a wrong hop": wrong_hop,
        "stops early": stops,
        "ignores evidence": not followed and _ignores_evidence(trace, hops, states),
    }
    return tuple(name for name in BEHAVIOURS if shown[name])


def unknown_behaviours(trace: Trace) -> frozenset[Behaviour]:
    """The behaviours of which a trace says nothing, because the system keeps to itself what they show in."""
    if not trace.steps_told:
        return frozenset(BEHAVIOURS) - {"parrots"}
    return frozenset() if trace.told else frozenset({"ignores evidence"})


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
    asked = [bool(state.asked) for state in states]
    # Hops from some number on were not asked for, and all before were.
    return len(searches) < len(states) and not asked[-1] and asked == sorted(asked, reverse=True)


def _ignores_evidence(trace: Trace, hops: Sequence[HopWords], states: Sequence[HopState]) -> bool:
    if not states or any(state.seen is None or not state.asked for state in states):
        return False
    given = words_in(trace.given)
    return not any(holds(given, end) for hop in hops for end in hop.ends)
