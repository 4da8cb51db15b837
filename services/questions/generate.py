"""Chain questions by a language model that reads triples, claims and chunks (GRADE, sections 3.2 and A.9.5).

The model words the question; the path says what it asks for. An answer that is not the end of the path is a
question about something else and is rejected, as is one for which the model gave nothing that can be used.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.llm.prompts import Prompt, fenced, load_prompt, on_one_line
from kg.llm.protocol import Estimate, Failure, Model, ModelOutcome, ModelRequest, Schema, json_object
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, batches
from services.questions.chains import draft_chain, read_chains
from services.questions.draft import Chain, Check, Made

WRITTEN = "written by the model"
ENDS_RIGHT = "model's answer is the end"
WRITER_CHECKS = (WRITTEN, ENDS_RIGHT)
"""What is checked of a model's question before any filter sees it."""

MODEL_WRITER = 1
PATHS_A_BATCH = 200
ROOM_TOKENS = 400
LONGEST_DETAIL = 200

SCHEMA = Schema("question", json_object(question={"type": "string"}, answer={"type": "string"}))


@dataclass(frozen=True, slots=True)
class _Texts:
    """The statements of claims and the texts of chunks, by their ids."""

    claims: Mapping[str, str]
    chunks: Mapping[str, str]


def writer_name(model: str) -> str:
    """What is recorded with a model's questions: "model-1/MODEL/write-question@1"."""
    return f"model-{MODEL_WRITER}/{model}/{_prompt().id}"


def write_by_model(graph: Graph, model: Model, chains: Sequence[Chain]) -> list[Made]:
    """A draft for each chain, with what was checked of it; one whose checks failed is a rejected question.

    Raises:
        ModelRefusedError: the endpoint refused for good.
        ModelUnavailableError: the endpoint does not answer.
        BudgetReachedError: the budget is spent. What was answered comes from the cache next time.
    """
    requests = _requests(graph, chains)
    outcomes = model.ask(requests)
    return [_made(chain, outcome, model.name) for chain, outcome in zip(chains, outcomes, strict=True)]


def estimate_writing(graph: Graph, model: Model, paths: Sequence[str]) -> Estimate:
    """What the questions of some paths would take; nothing is sent."""

    def requests() -> Iterator[ModelRequest]:
        for some in batches(paths, PATHS_A_BATCH):
            yield from _requests(graph, read_chains(graph, some))

    return model.estimate(requests())


def _made(chain: Chain, outcome: ModelOutcome, model: str) -> Made:
    draft = replace(draft_chain(chain), generator=writer_name(model))
    if isinstance(outcome, Failure):
        check = Check(WRITTEN, passed=False, reason=outcome.told[:LONGEST_DETAIL])
        return Made(replace(draft, text="", prefixes=()), (check,))
    value = outcome.value if isinstance(outcome.value, Mapping) else {}
    text, answer = (" ".join(str(value.get(key) or "").split()) for key in ("question", "answer"))
    draft = replace(draft, text=text)
    if not text:
        return Made(draft, (Check(WRITTEN, passed=False, reason="empty: the question holds nothing"),))
    written = Check(WRITTEN, passed=True)
    if normal_form(answer) not in {normal_form(name) for name in draft.accepted}:
        reason = f"the model answers {answer[:LONGEST_DETAIL]!r}, the path ends at {draft.answer!r}"
        return Made(draft, (written, Check(ENDS_RIGHT, passed=False, reason=reason)))
    return Made(draft, (written, Check(ENDS_RIGHT, passed=True)))


def _requests(graph: Graph, chains: Sequence[Chain]) -> list[ModelRequest]:
    texts = _texts(graph, chains)
    return [_request(chain, texts) for chain in chains]


def _request(chain: Chain, texts: _Texts) -> ModelRequest:
    facts = [f"{fact.index}. {fact.subject} | {fact.predicate} | {fact.object}" for fact in chain.facts]
    statements = [f"{fact.index}. {texts.claims[fact.claim]}" for fact in chain.facts]
    passages = [texts.chunks[chunk] for chunk in _shown_chunks(chain)]
    messages = _prompt().fill(
        chain=fenced(" > ".join(on_one_line(stop.name) for stop in chain.stops), "chain"),
        facts=fenced("\n".join(map(on_one_line, facts)), "facts"),
        statements=fenced("\n".join(map(on_one_line, statements)), "statements"),
        passages="\n\n".join(
            fenced(text, f"passage {number}") for number, text in enumerate(passages, start=1)
        ),
    )
    return ModelRequest(messages, _prompt().id, SCHEMA, max_output_tokens=ROOM_TOKENS)


def _shown_chunks(chain: Chain) -> list[str]:
    """One chunk for each fact: what else states it would only cost."""
    return list(dict.fromkeys(fact.chunks[0] for fact in chain.facts if fact.chunks))


def _texts(graph: Graph, chains: Iterable[Chain]) -> _Texts:
    claims = sorted({fact.claim for chain in chains for fact in chain.facts})
    chunks = sorted({chunk for chain in chains for chunk in _shown_chunks(chain)})
    return _Texts(
        {row["id"]: row["text"] for row in graph.read_in_batches(query("paths/read_claims"), claims)},
        {row["id"]: row["text"] for row in graph.read_in_batches(query("filters/read_chunk_texts"), chunks)},
    )


def _prompt() -> Prompt:
    return load_prompt("write-question")
