"""Seven patterns of plans, as data: steps for each part of a question, and steps at the end.

A pattern is filled with the parts of a question: what is to be looked for, and where. "<" among the inputs
stands for the step before, "{part}" for a part's text, "{question}" for the question. No two patterns make
the same steps (GoalSeeking, "Planning patterns"); where that compares, here both sides are read once more
together, or are read one after another in the order of their days, or are each assessed alone.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from services.rag.agents.goal_seeking.plans import (
    ALL_EVIDENCE,
    MOST_STEPS,
    PlanStep,
    SearchPlan,
    plan_text,
)
from services.rag.agents.goal_seeking.primitives import RETRIEVING
from services.rag.protocol import Filters

PatternName = Literal[
    "two-hop inference",
    "source comparison",
    "single retrieval with check",
    "consistency comparison",
    "entities across sources",
    "comparison over time",
    "yes or no over time",
]

BEFORE = "<"
"""Among the inputs or in the text of a pattern's step: what the step before gave."""

QUERY_BEFORE = "<<"
"""As the text of a pattern's step: what was looked for by the step before, as the step before that said."""

SIDES = "<sides"
"""Among the inputs of a step at the end: what was extracted for each part."""

FOUND = "<found"
"""Among the inputs of a step at the end: what was retrieved for each part."""

SEARCH = "search"
"""The primitive of a pattern's step that becomes the retrieval that a part's filters ask for."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question that is looked for by itself: a text, and where to look."""

    text: str
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A way to compose primitives, and the questions that it is for.

    `each` is done for one part after another; `after` too, once all have theirs, and "<" in its first step is
    the last of the part's own. `least` and `most` are how many parts it is for.
    """

    name: PatternName
    when: str
    each: tuple[PlanStep, ...]
    end: tuple[PlanStep, ...]
    after: tuple[PlanStep, ...] = ()
    least: int = 2
    most: int = MOST_STEPS


_SEARCH = PlanStep(SEARCH, text="{part}")
_EXTRACT = PlanStep("extract_evidence", text="{question}", inputs=(BEFORE,))
_EXTRACT_PART = PlanStep("extract_evidence", text="{part}", inputs=(BEFORE,))
_NAMES = PlanStep("identify_entities", text="{question}", inputs=(BEFORE,))
_ASSESS = PlanStep("assess_sufficiency", text="{question}", inputs=(ALL_EVIDENCE,))
_ANSWER = PlanStep("synthesize_answer", text="{question}", inputs=(ALL_EVIDENCE,))
_END = (_ASSESS, _ANSWER)

PATTERNS: Mapping[PatternName, Pattern] = {
    one.name: one
    for one in (
        Pattern(
            "two-hop inference",
            "The question describes something that has to be found first, and asks about that.",
            (_SEARCH, _EXTRACT_PART),
            (
                PlanStep("generate_next_query", text="{question}", inputs=(ALL_EVIDENCE,)),
                PlanStep("retrieve", text=BEFORE),
                PlanStep("extract_evidence", text=QUERY_BEFORE, inputs=(BEFORE,)),
                *_END,
            ),
            least=1,
        ),
        Pattern(
            "source comparison",
            "The question compares what two or more sources report.",
            (_SEARCH, _EXTRACT),
            _END,
        ),
        Pattern(
            "single retrieval with check",
            "One search may tell the answer; whether it does is checked.",
            (_SEARCH, _EXTRACT),
            _END,
            least=1,
            most=1,
        ),
        Pattern(
            "consistency comparison",
            "The question asks whether sources agree; what each says of its own part is extracted, then both "
            "are read side by side.",
            (_SEARCH, _EXTRACT_PART),
            (
                PlanStep("combine_contexts", inputs=(FOUND,)),
                PlanStep("extract_evidence", text="{question}", inputs=(BEFORE,)),
                *_END,
            ),
        ),
        Pattern(
            "entities across sources",
            "The question asks who or what is meant by reports of several sources; their names are compared.",
            (_SEARCH, _EXTRACT, _NAMES),
            _END,
        ),
        Pattern(
            "comparison over time",
            "The question compares reports of different days; all are looked for, then read in the order of "
            "their days, so that each reading is told what was known before.",
            (_SEARCH,),
            _END,
            after=(_EXTRACT_PART,),
        ),
        Pattern(
            "yes or no over time",
            "The question asks whether what was reported changed between two times, or stayed the same; each "
            "time is assessed alone, since one that tells nothing decides it.",
            (_SEARCH, _EXTRACT_PART, PlanStep("assess_sufficiency", text="{part}", inputs=(BEFORE,))),
            (
                PlanStep("assess_sufficiency", text="{question}", inputs=(SIDES,)),
                PlanStep("synthesize_answer", text="{question}", inputs=(SIDES,)),
            ),
        ),
    )
}
"""By name, in the order in which planners are told of them."""


def fill_pattern(name: PatternName, question: str, parts: Sequence[Part], why: str = "") -> SearchPlan:
    """The plan that a pattern makes of a question and its parts; without any, the question is its part.

    A comparison of one part is a single retrieval with its check, and called so.
    """
    parts = parts or (Part(question),)
    pattern = PATTERNS[name if len(parts) >= PATTERNS[name].least else "single retrieval with check"]
    parts = parts[: pattern.most]
    if pattern.after:
        parts = sorted(parts, key=lambda part: part.filters.since or part.filters.until)
    steps: list[PlanStep] = []
    last: list[int] = []
    for part in parts:
        steps += _fill_steps(pattern.each, question, part, steps, len(steps))
        last.append(len(steps))
    for part, before in zip(parts, last, strict=True):
        steps += _fill_steps(pattern.after, question, part, steps, before)
    steps += _fill_steps(pattern.end, question, Part(question), steps, len(steps))
    return SearchPlan(pattern.name, why, tuple(steps))


def most_parts(name: PatternName, most_steps: int) -> int:
    """How many parts of a question a pattern has room for in so many steps."""
    pattern = PATTERNS[name]
    room = (most_steps - len(pattern.end)) // (len(pattern.each) + len(pattern.after))
    return min(max(1, room), pattern.most)


def pattern_lines() -> str:
    """The patterns, each with a plan for a made-up question, and a second plan."""
    patterns = (
        f"{name}: {PATTERNS[name].when}\n{plan_text(fill_pattern(name, *example))}"
        for name, example in _EXAMPLES.items()
    )
    return "\n\n".join((*patterns, f"{_SECOND_WHEN}\n{plan_text(_SECOND_PLAN)}"))


def _fill_steps(
    pattern: Sequence[PlanStep], question: str, part: Part, made: Sequence[PlanStep], before: int
) -> Iterator[PlanStep]:
    """Steps of a pattern with their texts and inputs, behind those that were `made`.

    `before` is the number of the step that the first of them stands behind.
    """
    first = len(made)
    several = {
        SIDES: _all_of(made, {"extract_evidence"}),
        FOUND: _all_of(made, RETRIEVING),
    }
    for place, step in enumerate(pattern):
        number = first + place if place else before
        words = {
            "": "",
            BEFORE: f"${number}",
            QUERY_BEFORE: f"${number - 1}",
            "{question}": question,
            "{part}": part.text,
        }
        several[BEFORE] = (f"${number}",)
        inputs = tuple(name for one in step.inputs for name in several.get(one, (one,)))
        own = replace(step, text=words[step.text], inputs=inputs)
        yield _searching(own, part.filters) if step.primitive == SEARCH else own


def _all_of(steps: Sequence[PlanStep], primitives: Collection[str]) -> tuple[str, ...]:
    """The steps with one of these primitives, as inputs."""
    return tuple(f"${n}" for n, step in enumerate(steps, start=1) if step.primitive in primitives)


def _searching(step: PlanStep, filters: Filters) -> PlanStep:
    """The retrieval that the filters of a part ask for."""
    category = filters.categories[0] if filters.categories else ""
    dated = bool(filters.since or filters.until)
    plain = replace(
        step, sources=filters.sources, category=category, since=filters.since, until=filters.until
    )
    if dated or (filters.sources and category):
        return replace(plain, primitive="retrieve_filtered")
    if filters.sources:
        return replace(plain, primitive="retrieve_by_source")
    return replace(plain, primitive="retrieve_by_category" if category else "retrieve")


_TWO_PAPERS = (
    Part("the harbour dues of Ostby", Filters(sources=("Ostby Post",))),
    Part("the harbour dues of Norholm", Filters(sources=("Norholm Echo",))),
)
_TWO_DAYS = (
    Part("the harbour dues", Filters(sources=("Ostby Post",), since="2021-03-05", until="2021-03-05")),
    Part("the harbour dues", Filters(sources=("Norholm Echo",), since="2021-12-30", until="2021-12-31")),
)
_BOTH = "Do the Ostby Post and the Norholm Echo both say who sets the harbour dues?"
_EXAMPLES: Mapping[PatternName, tuple[str, Sequence[Part]]] = {
    "two-hop inference": (
        "Who directs the museum that bought the lamp of Oda Wexler?",
        (Part("Which museum bought the lamp of Oda Wexler?"),),
    ),
    "source comparison": ("Which town has higher harbour dues?", _TWO_PAPERS),
    "single retrieval with check": (
        "In which match did Oda Wexler score first?",
        (Part("In which match did Oda Wexler score first?", Filters(categories=("Sport",))),),
    ),
    "consistency comparison": (_BOTH, _TWO_PAPERS),
    "entities across sources": (
        "Which board do the Ostby Post and the Norholm Echo both write of?",
        _TWO_PAPERS,
    ),
    "comparison over time": ("Which paper reported the dues first?", _TWO_DAYS),
    "yes or no over time": ("Did the harbour dues change between March and December 2021?", _TWO_DAYS),
}
_SECOND_WHEN = (
    "A second plan, after the Ostby Post told that the harbour board sets them, and of the Norholm Echo 4 "
    "passages were read and none tells it: other words first, then the names that were found, everywhere."
)
_SECOND_PLAN = SearchPlan(
    "consistency comparison",
    "the Norholm Echo was silent under 'harbour dues'",
    (
        PlanStep("retrieve_by_source", "mooring fees, port charges", sources=("Norholm Echo",), k=10),
        PlanStep("extract_evidence", "Who sets the harbour dues of Norholm?", ("$1",)),
        PlanStep("identify_entities", _BOTH, (ALL_EVIDENCE,)),
        PlanStep("retrieve", "harbour dues set by {$3}"),
        PlanStep("extract_evidence", _BOTH, ("$4",)),
        replace(_ASSESS, text=_BOTH),
        replace(_ANSWER, text=_BOTH),
    ),
)
