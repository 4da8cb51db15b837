"""What a run would take, before anything is sent.

What a question takes of a model when an agent works on it, at most and as a rule.

At most, an agent uses up its searches or rounds, each search shows as many new passages as the run says, and
no turn comes to nothing. A conversation is sent whole in each turn: what was shown once is read in every
later turn. Few questions take as much. An agent that asks for more passages than it is given by itself, or
whose turns come to nothing, can take more.

As a rule, an agent makes a search for each hop of the question and then answers, or one plan that follows a
pattern. That was measured on the recorded jobs of docs/evaluation/model.md: eleven questions took the graph
agent, besides its plan, an expansion for each hop, one reading of claims and an answer. What is expected is
counted as `kg.llm.budget.likely_tokens` counts, what is possible as `estimate_tokens` does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from statistics import mean
from types import MappingProxyType

from kg.embed.choose import Embedder
from kg.llm.budget import estimate_tokens, likely_tokens
from kg.llm.prompts import load_prompt
from kg.llm.protocol import ModelRequest, Usage
from kg.llm.roles import role_budget, role_endpoint
from kg.llm.structured import input_tokens
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
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
from services.rag.agents.place import MOST_READ
from services.rag.agents.protocol import AGENTS, AgentName
from services.rag.agents.react import ACTING, MOST_STEPS, PLANNING, USUAL_PLAN, USUAL_TURN
from services.rag.agents.search_tags import TURN, USUAL_TAGGED_TURN
from services.rag.answering import asked_of
from services.rag.model_generator import (
    ANSWER_TOKENS,
    ANSWERING,
    CONTEXT_TOKENS,
    DECOMPOSING,
    FROM_MEMORY,
    MOST_QUESTIONS,
    ON_THE_WAY,
    USUAL_TOKENS,
    answer_request,
)
from services.rag.passages import passages_of, read_passages
from services.rag.protocol import RagQuestion, ReadTask
from services.rag.retrieval.choose import open_retriever
from services.rag.retrieval.filters import require_searchable
from services.rag.run_options import RunOptions
from services.rag.systems import GoldRetriever
from services.runs.start import RunPlan

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

    def tokens_shown(self, searches: int) -> int:
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
            return _tagged(most_iterations or MOST_STEPS, sizes)
        case "goal-seeking":
            return _rounds(most_iterations or MOST_ITERATIONS, sizes)


def usual_course(agent: AgentName, most_iterations: int | None, sizes: Sizes, hops: int) -> AgentCourse:
    """What a question of so many hops takes as a rule; where it has no more calls than hops, all of them."""
    match agent:
        case "react" if hops < (most_iterations or MOST_STEPS):
            return _answered_in_words(PLANNING, ACTING, 2, hops, sizes)
        case "graph-agent" if hops + 1 < (most_iterations or MOST_CALLS):
            walked = replace(sizes, passages=min(sizes.passages, USUAL_FACTS))
            # The claims are read besides.
            return _answered_in_words(walk.PLANNING, walk.ACTING, 6, hops + 1, walked)
        case "search-tags" if hops < (most_iterations or MOST_STEPS):
            return _tagged_in_words(hops, sizes)
        case "react" | "graph-agent" | "search-tags":
            return agent_course(agent, most_iterations, sizes)
        case "goal-seeking":
            return _one_round("two-hop inference" if hops > 1 else "single retrieval with check", sizes)


def _answered_in_words(planning: str, acting: str, tools: int, calls: int, sizes: Sizes) -> AgentCourse:
    """A plan, so many calls, and a turn that answers."""
    turns = calls + 1
    each = _usual_frame(acting) + tools * USUAL_TOOL + sizes.question + USUAL_PLAN
    read = sum(sizes.tokens_shown(before) + before * USUAL_TURN for before in range(turns))
    plan = _usual_frame(planning) + sizes.question
    return AgentCourse(turns + 1, turns * each + read + plan, USUAL_PLAN + turns * USUAL_TURN)


def _conversation(planning: str, acting: str, tools: int, turns: int, sizes: Sizes) -> AgentCourse:
    """A plan, so many turns, each of which reads all before it, and a reading at the end."""
    each = frame_tokens(acting) + tools * TOOL + sizes.question + SAID
    read = sum(sizes.tokens_shown(before) + before * SAID for before in range(turns))
    ends = frame_tokens(planning) + frame_tokens(ANSWERING) + 2 * sizes.question + sizes.read_at_the_end
    said = USUAL_PLAN + turns * USUAL_TURN + USUAL_TOKENS[ANSWERING]
    return AgentCourse(turns + 2, turns * each + read + ends, said)


def _tagged_in_words(searches: int, sizes: Sizes) -> AgentCourse:
    """So many turns that search, and one that answers."""
    turns = searches + 1
    read = sum(sizes.tokens_shown(before) + before * USUAL_TAGGED_TURN for before in range(turns))
    each = _usual_frame(TURN) + sizes.question
    return AgentCourse(turns, turns * each + read, turns * USUAL_TAGGED_TURN)


def _tagged(turns: int, sizes: Sizes) -> AgentCourse:
    """So many turns, each of which reads all before it, and a reading at the end."""
    read = sum(sizes.tokens_shown(before) + before * SAID for before in range(turns))
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
            frame_tokens(goal.EXTRACTING) + sizes.tokens_shown(1) + min(after, MOST_KNOWN) * FACT
        )
        tokens += (asks - extracts + 1) * (others + after * FACT)
        tokens += (asks + 2) * sizes.question
        said += goal.USUAL_TOKENS[goal.PLANNING] + (asks + 1) * goal.USUAL_TOKENS[goal.EXTRACTING]
    last = others + min(rounds * extracts * MOST_PIECES, MOST_EVIDENCE) * FACT + sizes.question
    return AgentCourse(rounds * (asks + 2) + 1, tokens + last, said + USUAL_TOKENS[ANSWERING])


def _one_round(pattern: PatternName, sizes: Sizes) -> AgentCourse:
    """A plan by a pattern for a question that is not taken apart, carried out, and found to be enough."""
    steps = [step.primitive for step in patterns.filled(pattern, "", ()).steps]
    questions = [_PROMPTS[step] for step in steps if step not in FREE]
    extracts = questions.count(goal.EXTRACTING)
    facts = extracts * USUAL_PIECES * FACT
    frames = sum(map(_usual_frame, (*questions, goal.EVALUATING)))
    read = extracts * sizes.tokens_shown(1) + (len(questions) - extracts + 1) * facts
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
    return [step.primitive for step in patterns.filled(name, "", parts).steps]


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


SAMPLE = 32
"""Questions whose prompts are made to tell how long prompts are."""

USUAL_HOPS = 2
"""Of a question of which nothing is known."""


AGENT_ASSUMES = (
    "Expected: a search for each hop, or one plan. At most: an agent that uses up its searches or rounds for "
    "every question, without a turn that comes to nothing, and reads {top} passages a search; a conversation "
    "is sent whole in each turn."
)


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What is to be expected, and an upper bound: requests, tokens and money; money is None without a price.

    `assumes` says in words what it stands on, empty where it holds whatever comes.
    """

    calls_expected: int
    input_tokens_expected: int
    output_tokens_expected: int
    money_expected: float | None
    calls_at_most: int
    input_tokens_at_most: int
    output_tokens_at_most: int
    money_at_most: float | None
    assumes: str = ""


@dataclass(frozen=True, slots=True)
class _Course:
    """Requests and tokens of a question on average; `output` are those of ordinary replies."""

    calls: float
    input: float
    output: float


def estimate_run(
    graph: Graph,
    corpus: str,
    options: RunOptions,
    plan: RunPlan,
    settings: Settings,
    embedder: Embedder,
) -> RunEstimate:
    """What the pending questions of a run take; the prompts and hops of some of them stand for all.

    Replies that are kept from before are not taken off: which ones fit shows only on the way.

    Raises:
        SettingsError: no model is set for the answers, or there is a budget in money and it has no price.
    """
    sample = (*plan.pending, *plan.prefixes.pending)[:SAMPLE]
    if options.generator == "rules" or not sample:
        return RunEstimate(0, 0, 0, None, 0, 0, 0, None)
    rows = graph.rows(query("questions/read_queries"), ids=list(sample))
    hops = [max(row["hops"], 1) for row in rows]
    tasks = _tasks(graph, corpus, options, asked_of(rows, embedder), embedder)
    return _estimate(options, tasks, hops, len(plan.pending) + len(plan.prefixes.pending), settings)


def estimate_question(
    graph: Graph, corpus: str, options: RunOptions, text: str, settings: Settings, embedder: Embedder
) -> RunEstimate:
    """What the answer to one question takes, which is taken to have `USUAL_HOPS`; nothing is sent.

    Raises:
        SettingsError: as `estimate_run`.
        NothingToDoError: the corpus has no vectors yet.
    """
    if options.generator == "rules":
        return RunEstimate(0, 0, 0, None, 0, 0, 0, None)
    require_searchable(graph, corpus)
    questions = [RagQuestion("asked", text, embedder.embed_queries([text])[0])]
    tasks = _tasks(graph, corpus, options, questions, embedder)
    return _estimate(options, tasks, [USUAL_HOPS], 1, settings)


def _tasks(
    graph: Graph, corpus: str, options: RunOptions, questions: Sequence[RagQuestion], embedder: Embedder
) -> list[ReadTask]:
    """Questions with the passages that a search of the run finds for them."""
    if options.evidence == "none":
        return [ReadTask(one.text, (), from_memory=True) for one in questions]
    if options.evidence == "gold":
        hits = GoldRetriever(graph).retrieve(questions)
    else:
        hits = open_retriever(options.retriever, graph, corpus, embedder, options.top).retrieve(questions)
    passages = passages_of(partial(read_passages, graph), hits)
    return [ReadTask(one.text, seen) for one, seen in zip(questions, passages, strict=True)]


def _estimate(
    options: RunOptions, tasks: Sequence[ReadTask], hops: Sequence[int], questions: int, settings: Settings
) -> RunEstimate:
    """What so many questions take, if they are like some of them and their hops."""
    room = role_endpoint("answer", settings).room(ANSWER_TOKENS)
    usual, most = _of_a_question(options, tasks, hops)
    expected = Usage(round(questions * usual.input), round(questions * usual.output))
    bound = Usage(round(questions * most.input), round(questions * most.calls * room))
    budget = role_budget("answer", settings)
    money = [None if cost is None else round(cost, 4) for cost in map(budget.money_of, (expected, bound))]
    return RunEstimate(
        round(questions * usual.calls),
        expected.input_tokens,
        expected.output_tokens,
        money[0],
        round(questions * most.calls),
        bound.input_tokens,
        bound.output_tokens,
        money[1],
        AGENT_ASSUMES.format(top=options.top) if options.system in AGENTS else "",
    )


def _of_a_question(
    options: RunOptions, tasks: Sequence[ReadTask], hops: Sequence[int]
) -> tuple[_Course, _Course]:
    """What a question takes as a rule and at most, from the readings and hops of some."""
    usual, most = (mean(_tokens(task, count) for task in tasks) for count in (likely_tokens, estimate_tokens))
    answer = USUAL_TOKENS[FROM_MEMORY if options.evidence == "none" else ANSWERING]
    parts = float(mean(min(number, MOST_QUESTIONS) for number in hops))
    match options.system:
        case "single-step":
            return _Course(1, usual, answer), _Course(1, most, answer)
        case "multi-step":
            # The second reading sees what both searches brought.
            said = USUAL_TOKENS[ON_THE_WAY] + answer
            return _Course(2, 2.5 * usual, said), _Course(2, 3 * most, said)
        case "decomposition":
            calls = MOST_QUESTIONS + 2
            replies = USUAL_TOKENS[DECOMPOSING] + answer * (parts + 1)
            return _Course(parts + 2, (parts + 1) * usual, replies), _Course(calls, calls * most, replies)
        case agent:
            likely, bound = (_sizes(options, tasks, count) for count in (likely_tokens, estimate_tokens))
            courses = [usual_course(agent, options.most_iterations, likely, number) for number in hops]
            return _mean_of(courses), _mean_of([agent_course(agent, options.most_iterations, bound)])


def _sizes(options: RunOptions, tasks: Sequence[ReadTask], count: Callable[[str], int]) -> Sizes:
    """The tokens of a question and of what a search shows, as the passages of some questions have them."""
    question = mean(count(task.question) for task in tasks)
    shown = mean(_tokens(task, count) - _tokens(replace(task, passages=()), count) for task in tasks)
    return Sizes(ceil(question), ceil(shown), options.top, options.evidence_tokens)


def _mean_of(courses: Sequence[AgentCourse]) -> _Course:
    return _Course(
        mean(one.calls for one in courses),
        mean(one.input_tokens for one in courses),
        mean(one.output_tokens for one in courses),
    )


def _tokens(task: ReadTask, count: Callable[[str], int]) -> int:
    request = answer_request(task)
    return input_tokens(request.messages, request, count)
