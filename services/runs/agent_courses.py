"""What a question takes of a model when an agent works on it, at most and as a rule.

At most, an agent uses up its searches or rounds, each search shows as many new passages as the run says, and
no turn comes to nothing. A conversation is sent whole in each turn: what was shown once is read in every
later turn. Few questions take as much. An agent that asks for more passages than it is given by itself, or
whose turns come to nothing, can take more.

As a rule, an agent makes one plan that follows a pattern, or searches and then answers: the graph agent makes
an expansion for each hop and reads claims once, the others search once and once more for each hop of which
the first search brings no evidence. That was measured on the recorded jobs of
docs/evaluation/model.md; decision 52 has the figures. What is expected is counted as
`kg.llm.budget.likely_tokens` counts, what is possible as `estimate_tokens` does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from kg.llm.budget import estimate_tokens, likely_tokens
from kg.llm.prompts import load_prompt
from kg.llm.protocol import ModelRequest
from kg.llm.structured import input_tokens
from services.rag.agents.goal_seeking import by_model as goal
from services.rag.agents.goal_seeking import patterns, primitives
from services.rag.agents.goal_seeking.agent import MOST_ITERATIONS, MOST_KNOWN
from services.rag.agents.goal_seeking.by_model import MOST_PIECES
from services.rag.agents.goal_seeking.insights import MOST_EVIDENCE
from services.rag.agents.goal_seeking.patterns import PATTERNS, PatternName, most_parts
from services.rag.agents.goal_seeking.plans import MOST_STEPS as PLANNED_AT_MOST
from services.rag.agents.goal_seeking.primitives import RETRIEVING
from services.rag.agents.graph_agent import seen as walk
from services.rag.agents.graph_agent.seen import MOST_CALLS
from services.rag.agents.protocol import MOST_READ, AgentName
from services.rag.agents.react import (
    ACTING,
    MOST_STEPS,
    PLANNING,
    USUAL_LINE,
    USUAL_PLAN,
    USUAL_SEARCH,
    USUAL_TOP,
    USUAL_TURN,
)
from services.rag.agents.search_tags import TURN, USUAL_TAGGED_TURN
from services.rag.model_generator import ANSWERING, CONTEXT_TOKENS, USUAL_TOKENS

SAID = 300
"""Tokens of a plan or a turn, as they stand in later turns."""

TOOL, USUAL_TOOL = 150, 75
"""Tokens of a tool, as it is told to a model with every turn: at most, and of ours on average."""

FACT = 60
"""Tokens of an extracted fact, with where it is from."""

FACTS, USUAL_FACTS = 1_000, 260
"""Tokens of what a call of the graph agent shows: the facts of an entity, with the ids in them. The usual
number is the mean over the 27 expansions of the recorded jobs, of 8 facts as a rule."""

COLLECTION = 700
"""Tokens of the sources and categories that a planner is told."""

USUAL_PIECES = 3
"""Facts that one extraction brings as a rule."""

FREE = frozenset({*RETRIEVING, "identify_entities", "combine_contexts"})
"""Primitives that ask no model."""

_PROMPTS: Mapping[str, str] = {
    "extract_evidence": goal.EXTRACTING,
    "generate_next_query": goal.NEXT_QUERY,
    "assess_sufficiency": goal.ASSESSING,
    "synthesize_answer": ANSWERING,
}
"""By which prompt the others ask."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens of a question, and of the passages of one search as they are shown; `top` is how many passages
    that are, and `evidence` the most that may be shown for a question, None for no limit."""

    question: int
    passages: int
    top: int
    evidence: int | None = None

    def shown_tokens(self, searches: int) -> int:
        """Tokens of what so many searches show together."""
        return min(searches * self.passages, self._most)

    @property
    def read_at_the_end(self) -> int:
        """Tokens of the passages from which an answer is read when the searches are used up."""
        return min(self.passages * -(-MOST_READ // self.top), CONTEXT_TOKENS * 4 // 3, self._most)

    @property
    def _most(self) -> int:
        # Our count of evidence is in WordPiece tokens of the texts alone, without headings and fences.
        return self.evidence * 2 if self.evidence is not None else 10**9


@dataclass(frozen=True, slots=True)
class AgentCourse:
    """Requests and their tokens, of one question; `output_tokens` are those of ordinary replies."""

    calls: int
    input_tokens: int
    output_tokens: int


def agent_course(agent: AgentName, most_iterations: int | None, sizes: Sizes) -> AgentCourse:
    """What a question takes when all searches, calls or rounds are used up."""
    match agent:
        case "react":
            return _conversation(PLANNING, ACTING, 2, most_iterations or MOST_STEPS, sizes)
        case "graph-agent":
            turns = most_iterations or MOST_CALLS
            walked = replace(sizes, passages=min(sizes.passages, FACTS))
            return _conversation(walk.PLANNING, walk.ACTING, 6, turns, walked)
        case "search-tags":
            return _tagged_course(most_iterations or MOST_STEPS, sizes)
        case "goal-seeking":
            return _rounds(most_iterations or MOST_ITERATIONS, sizes)


def usual_course(
    agent: AgentName, most_iterations: int | None, sizes: Sizes, hops: int, searches: int | None = None
) -> AgentCourse:
    """What a question of so many hops takes as a rule; where it has no more calls than it needs, all of them.

    `searches` is how many it takes to find the evidence of all hops, one for each where that isn't known.
    """
    searches = hops if searches is None else searches
    match agent:
        case "react" if searches < (most_iterations or MOST_STEPS):
            chosen = replace(sizes, passages=sizes.passages * min(USUAL_TOP, sizes.top) // sizes.top)
            plan = hops * USUAL_LINE
            return _answered_in_words(PLANNING, ACTING, 2, searches, chosen, plan, USUAL_SEARCH)
        case "graph-agent" if hops + 1 < (most_iterations or MOST_CALLS):
            walked = replace(sizes, passages=min(sizes.passages, USUAL_FACTS))
            # The claims are read besides.
            return _answered_in_words(walk.PLANNING, walk.ACTING, 6, hops + 1, walked, USUAL_PLAN, USUAL_TURN)
        case "search-tags" if searches < (most_iterations or MOST_STEPS):
            return _tagged_in_words(searches, sizes)
        case "react" | "graph-agent" | "search-tags":
            return agent_course(agent, most_iterations, sizes)
        case "goal-seeking":
            return _one_round("two-hop inference" if hops > 1 else "single retrieval with check", sizes)


def _answered_in_words(
    planning: str, acting: str, tools: int, calls: int, sizes: Sizes, plan: int, turn: int
) -> AgentCourse:
    """A plan, so many calls, and a turn that answers; plan and turns have so many tokens."""
    turns = calls + 1
    each = _usual_frame(acting) + tools * USUAL_TOOL + sizes.question + plan
    read = sum(sizes.shown_tokens(before) + before * turn for before in range(turns))
    planned = _usual_frame(planning) + sizes.question
    return AgentCourse(turns + 1, turns * each + read + planned, plan + turns * turn)


def _conversation(planning: str, acting: str, tools: int, turns: int, sizes: Sizes) -> AgentCourse:
    """A plan, so many turns, each of which reads all before it, and a reading at the end."""
    each = frame_tokens(acting) + tools * TOOL + sizes.question + SAID
    read = sum(sizes.shown_tokens(before) + before * SAID for before in range(turns))
    ends = frame_tokens(planning) + frame_tokens(ANSWERING) + 2 * sizes.question + sizes.read_at_the_end
    said = USUAL_PLAN + turns * USUAL_TURN + USUAL_TOKENS[ANSWERING]
    return AgentCourse(turns + 2, turns * each + read + ends, said)


def _tagged_in_words(searches: int, sizes: Sizes) -> AgentCourse:
    """So many turns that search, and one that answers."""
    turns = searches + 1
    read = sum(sizes.shown_tokens(before) + before * USUAL_TAGGED_TURN for before in range(turns))
    each = _usual_frame(TURN) + sizes.question
    return AgentCourse(turns, turns * each + read, turns * USUAL_TAGGED_TURN)


def _tagged_course(turns: int, sizes: Sizes) -> AgentCourse:
    """So many turns, each of which reads all before it, and a reading at the end."""
    read = sum(sizes.shown_tokens(before) + before * SAID for before in range(turns))
    each = frame_tokens(TURN) + sizes.question
    end = frame_tokens(ANSWERING) + sizes.question + sizes.read_at_the_end
    return AgentCourse(
        turns + 1, turns * each + read + end, turns * USUAL_TAGGED_TURN + USUAL_TOKENS[ANSWERING]
    )


def _rounds(rounds: int, sizes: Sizes) -> AgentCourse:
    """In each round a plan, the longest that follows a pattern, and the verdict; an answer at the end."""
    longest = [_steps(name) for name in PATTERNS]
    asks = max(sum(step not in FREE for step in steps) for steps in longest)
    extracts = max(steps.count("extract_evidence") for steps in longest)
    plan = _planning()
    others = max(map(frame_tokens, (goal.NEXT_QUERY, goal.ASSESSING, goal.EVALUATING, ANSWERING)))
    tokens = said = 0
    for number in range(rounds):
        before, after = (min(many * extracts * MOST_PIECES, MOST_EVIDENCE) for many in (number, number + 1))
        tokens += plan + before * FACT + (number + 1) * SAID
        tokens += extracts * (
            frame_tokens(goal.EXTRACTING) + sizes.shown_tokens(1) + min(after, MOST_KNOWN) * FACT
        )
        tokens += (asks - extracts + 1) * (others + after * FACT)
        tokens += (asks + 2) * sizes.question
        said += goal.USUAL_TOKENS[goal.PLANNING] + (asks + 1) * goal.USUAL_TOKENS[goal.EXTRACTING]
    last = others + min(rounds * extracts * MOST_PIECES, MOST_EVIDENCE) * FACT + sizes.question
    return AgentCourse(rounds * (asks + 2) + 1, tokens + last, said + USUAL_TOKENS[ANSWERING])


def _one_round(pattern: PatternName, sizes: Sizes) -> AgentCourse:
    """A plan by a pattern for a question that is not taken apart, carried out, and found to be enough."""
    steps = [step.primitive for step in patterns.fill_pattern(pattern, "", ()).steps]
    questions = [_PROMPTS[step] for step in steps if step not in FREE]
    extracts = questions.count(goal.EXTRACTING)
    facts = extracts * USUAL_PIECES * FACT
    frames = sum(map(_usual_frame, (*questions, goal.EVALUATING)))
    read = extracts * sizes.shown_tokens(1) + (len(questions) - extracts + 1) * facts
    replies = {**USUAL_TOKENS, **goal.USUAL_TOKENS}
    return AgentCourse(
        len(questions) + 2,
        _planning(likely_tokens) + frames + read + (len(questions) + 2) * sizes.question,
        sum(replies[name] for name in (goal.PLANNING, *questions, goal.EVALUATING)),
    )


def _planning(count: Callable[[str], int] = estimate_tokens) -> int:
    """The tokens of the prompt that plans, with all that it tells of the collection."""
    told = {"primitives": primitives.primitive_lines(), "patterns": patterns.pattern_lines()}
    return frame_tokens(goal.PLANNING, count, told) + COLLECTION


def _steps(name: PatternName) -> list[str]:
    """The primitives of the longest plan that a pattern makes."""
    parts = [patterns.Part("")] * most_parts(name, PLANNED_AT_MOST)
    return [step.primitive for step in patterns.fill_pattern(name, "", parts).steps]


def _usual_frame(name: str) -> int:
    return frame_tokens(name, likely_tokens)


def frame_tokens(
    name: str,
    count: Callable[[str], int] = estimate_tokens,
    values: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """The tokens of a prompt without what others wrote."""
    prompt = load_prompt(name)
    messages = prompt.fill(**{**dict.fromkeys(prompt.placeholders, ""), **values})
    return input_tokens(messages, ModelRequest(messages, prompt.id), count)
