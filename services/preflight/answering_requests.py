"""Requests for gold items of the prompts of systems, agents and judges, by the product's own builders."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from kg.embed.choose import Embedder
from kg.llm.protocol import JsonValue, ModelRequest, Reply, ToolCall, Usage
from kg.store.graph import Graph
from services.answers import is_abstention
from services.comparison.judging.measures import Item
from services.comparison.judging.model_judge import ModelJudge
from services.comparison.judging.model_judge import judge_request as standard_request
from services.comparison.records import Answer, Chunk, GoldHop, Question, Shown
from services.evaluate.judge import Judgeable, Scale, judge_request
from services.preflight.making_requests import Builder, ItemInputs, Listener, item_passages
from services.rag.agents.goal_seeking.by_model import ModelEvaluator, ModelPlanner, ModelReader
from services.rag.agents.goal_seeking.insights import EvidencePiece, Insights, PastPlan, PastQuery, Silence
from services.rag.agents.goal_seeking.reading import EvidenceTask, ExtractTask
from services.rag.agents.graph_agent.make import ModelWalker
from services.rag.agents.graph_agent.seen import Claim, SeenClaims, SeenEntities, SeenFacts
from services.rag.agents.graph_agent.tools import graph_tools
from services.rag.agents.protocol import AgentContext, Call, Observation, Plan
from services.rag.agents.react import Conversation, ModelReact, model_react
from services.rag.agents.search_tags import TaggedSearch
from services.rag.metadata import index_metadata
from services.rag.model_generator import ModelGenerator, answer_request, decompose_request
from services.rag.protocol import Hit, Passage, RagQuestion, ReadTask, Retriever

_AGENT_STEPS = 8


def _answer(given: ItemInputs, on_the_way: bool = False) -> ModelRequest:
    task = ReadTask(given.text("question"), item_passages(given), given.texts("notes"), on_the_way)
    return answer_request(task)


def _react(given: ItemInputs) -> ModelRequest:
    """Searches made so far are `{thought, query, passages}`."""
    listener = Listener()
    agent = model_react(_place(listener), listener)
    mind = agent.begin(_question(given))
    if given.has("plan"):
        _plan(mind, given)
        for number, one in enumerate(given.entries("searches"), start=1):
            _call(mind, number, one, "search", {"query": one.text("query")})
            passages = _passages_of(one)
            hits = tuple(Hit(passage.chunk, 1.0) for passage in passages)
            mind.observe(Call("search", {"query": one.text("query")}), Observation("", hits, retrieves=True))
            mind.show(mind.question.text, passages)
    return _decision_request(agent, mind, listener)


def _search_tags(given: ItemInputs) -> ModelRequest:
    """Searches made so far are `{thought, query, passages}`."""
    listener = Listener()
    agent = TaggedSearch(_place(listener), listener, {}, _AGENT_STEPS)
    mind = agent.begin(_question(given))
    for one in given.entries("searches"):
        text = f"<think> {one.text('thought', '')} </think>\n<search> {one.text('query')} </search>"
        call = agent.read(mind, Reply(text, None, Usage()))
        mind.observe(call, Observation("", (), retrieves=True))
        mind.show(mind.question.text, _passages_of(one))
    return _decision_request(agent, mind, listener)


def _passages_of(search: ItemInputs) -> tuple[Passage, ...]:
    """The passages of a search; equal texts are one chunk in every search."""
    return tuple(replace(one, chunk=f"{one.title}/{one.text}") for one in item_passages(search))


def _walk(given: ItemInputs) -> ModelRequest:
    """Calls made so far are `{thought, tool, arguments}` with `entities`, `facts` (lines) or `claims`."""
    listener = Listener()
    place = _place(listener)
    agent = ModelWalker(place, listener, graph_tools(place), _AGENT_STEPS)
    mind = agent.begin(_question(given))
    if given.has("plan"):
        _plan(mind, given)
        for number, one in enumerate(given.entries("calls"), start=1):
            tool, arguments = one.text("tool"), one.inner("arguments").values
            _call(mind, number, one, tool, arguments)
            mind.observe(Call(tool, arguments), _observation(one))
    return _decision_request(agent, mind, listener)


def _observation(one: ItemInputs) -> Observation:
    if one.has("claims"):
        claims = tuple(
            Claim(
                claim.text("id"), claim.text("text"), claim.text("text"), claim.text("title", ""),
                claim.text("source", ""), claim.text("date", ""), (f"chunk of {claim.text('id')}",),
            )
            for claim in one.entries("claims")
        )  # fmt: skip
        return SeenClaims("", claims=claims)
    if one.has("facts"):
        return SeenFacts("\n".join(one.texts("facts")))
    return SeenEntities("\n".join(one.texts("entities")))


def _plan(mind: Conversation, given: ItemInputs) -> None:
    mind.observe(Plan(given.text("plan")), Observation(""))


def _call(
    mind: Conversation, number: int, one: ItemInputs, tool: str, arguments: Mapping[str, JsonValue]
) -> None:
    """Put the model's turn before into the conversation, as it would have come."""
    call = ToolCall(f"call{number:05}", tool, json.dumps(arguments, ensure_ascii=False))
    mind.reply = Reply(one.text("thought", ""), None, Usage(), calls=(call,))


def _decision_request(agent: ModelReact, mind: Conversation, listener: Listener) -> ModelRequest:
    agent.decide([mind])
    return listener.the_request()


def _question(given: ItemInputs) -> RagQuestion:
    return RagQuestion("question", given.text("question"), np.zeros(1, dtype=np.float32))


def _place(listener: Listener) -> AgentContext:
    """A place where agents only talk: no tool is run, so that none needs a graph."""
    return AgentContext(
        graph=cast(Graph, None),
        corpus="gold",
        embedder=cast(Embedder, None),
        retriever=cast(Retriever, None),
        read=lambda chunks: {},
        generator=ModelGenerator(listener, lambda usage: None),
        model=listener,
        cost_of=lambda usage: None,
        most_iterations=_AGENT_STEPS,
    )


def _goal_plan(given: ItemInputs) -> ModelRequest:
    """Sources, categories and days of the collection stand under `collection`."""
    known = given.inner("collection")
    metadata = index_metadata(
        known.texts("sources"), known.texts("categories"), (), known.text("from", ""), known.text("until", "")
    )
    listener = Listener()
    ModelPlanner(listener, lambda usage: None, metadata).plan([_insights(given)])
    return listener.the_request()


def _goal_check(given: ItemInputs) -> ModelRequest:
    listener = Listener()
    ModelEvaluator(listener, lambda usage: None).evaluate([_insights(given)])
    return listener.the_request()


def _insights(given: ItemInputs) -> Insights:
    return Insights(
        given.text("question"),
        queries=_past_queries(given, "queries"),
        evidence=_pieces(given),
        entities=given.texts("names"),
        sufficient=given.truth("sufficient"),
        missing=given.texts("missing"),
        answer=given.text("answer", ""),
        confidence=1.0 if given.has("answer") and not is_abstention(given.text("answer")) else 0.0,
        iteration=len(given.entries("plans")),
        plans=tuple(
            PastPlan(one.text("pattern", ""), one.text("why", ""), one.truth("fruitless") is True)
            for one in given.entries("plans")
        ),
        silences=_silences(given),
    )


def _past_queries(given: ItemInputs, name: str) -> tuple[PastQuery, ...]:
    """Searches are `{query, filters, found}`."""
    return tuple(
        PastQuery(one.text("query"), one.text("filters", ""), one.number("found", 0))
        for one in given.entries(name)
    )


def _silences(given: ItemInputs) -> tuple[Silence, ...]:
    """What passages do not tell: `{sought, source, passages}`."""
    return tuple(
        Silence(one.text("sought"), one.text("source", ""), one.number("passages", 1))
        for one in given.entries("silences")
    )


def _pieces(given: ItemInputs) -> tuple[EvidencePiece, ...]:
    return tuple(
        EvidencePiece(
            one.text("fact"), f"chunk {number}", one.text("source", ""), one.text("date", ""),
            one.text("happened", ""),
        )
        for number, one in enumerate(given.entries("evidence"), start=1)
    )  # fmt: skip


def _reading(given: ItemInputs, kind: str) -> ModelRequest:
    listener = Listener()
    reader = ModelReader(listener, lambda usage: None, ModelGenerator(listener, lambda usage: None))
    if kind == "extract":
        reader.extract([ExtractTask(given.text("question"), item_passages(given), given.texts("known"))])
    else:
        task = EvidenceTask(
            given.text("question"),
            _pieces(given),
            (),
            given.texts("tried"),
            searches=_past_queries(given, "searches"),
            silences=_silences(given),
        )
        reader.assess([task]) if kind == "assess" else reader.next_query([task])
    return listener.the_request()


def _judge(given: ItemInputs, scale: Scale) -> ModelRequest:
    key = given.text("key")
    return judge_request(
        Judgeable("answer", given.text("question"), key, (key, *given.texts("also")), given.text("answer")),
        scale,
    )


def _standard_item(given: ItemInputs) -> Item:
    """Hops are `{facts: [fact, the same in other words]}`; passages may say by which `search` they came."""
    passages = given.entries("passages")
    chunks = {
        f"p{number}": Chunk(f"p{number}", f"a{number}", one.text("title", ""), one.text("text"), 100, "c")
        for number, one in enumerate(passages, start=1)
    }
    shown = tuple(
        Shown(f"p{number}", number, one.number("search", 1)) for number, one in enumerate(passages, start=1)
    )
    gold = tuple(
        GoldHop(number, f"g{number}-{place}", fact, "c")
        for number, hop in enumerate(given.entries("hops"), start=1)
        for place, fact in enumerate(hop.texts("facts"), start=1)
    )
    key = given.text("key")
    question = Question(
        "question", given.text("question"), key, (key, *given.texts("also")), "chain", "inference",
        len(given.entries("hops")), 1, "c", gold,
    )  # fmt: skip
    text = given.text("answer")
    answer = Answer("system", "question", text, "", is_abstention(text), shown, (), 0, 0)
    return Item("system", question, answer, chunks)


def _reword(given: ItemInputs) -> ModelRequest:
    listener = Listener()
    list(ModelJudge(listener).reword([_standard_item(ItemInputs({"key": "", **given.values}))]))
    return listener.the_request()


ANSWERING: Mapping[str, Builder] = {
    "answer-question": _answer,
    "intermediate-step": lambda given: _answer(given, on_the_way=True),
    "decompose-question": lambda given: decompose_request(given.text("question")),
    "react-plan": _react,
    "react-step": _react,
    "walk-plan": _walk,
    "walk-step": _walk,
    "search-tags": _search_tags,
    "goal-plan": _goal_plan,
    "goal-check": _goal_check,
    "goal-extract": lambda given: _reading(given, "extract"),
    "goal-assess": lambda given: _reading(given, "assess"),
    "goal-next-query": lambda given: _reading(given, "next query"),
    "judge-binary": lambda given: _judge(given, "binary"),
    "judge-score": lambda given: _judge(given, "0-2"),
    "standard-judge": lambda given: standard_request(_standard_item(given)),
    "reword-answer": _reword,
}
"""By the name of the prompt: how its request is made of what a gold item gives."""
