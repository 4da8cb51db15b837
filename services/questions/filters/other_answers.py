"""Does another statement of the archive give a chain question another answer? A model is asked.

"Only answer" walks the graph along the same predicates, so it misses a rival in other words: "has also bought
the harbour of Sill" beside "owns Tarn Quay". Here a model reads what else the archive states about the
entities that the question leads through, and says whether one of these statements fits as well.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from kg.llm.prompts import fence, load_prompt, on_one_line
from kg.llm.protocol import Failure, Model, ModelOutcome, ModelRequest, Schema, json_object
from kg.queries import query
from kg.store.graph import Graph
from services.questions.draft import Draft
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.filters.solver import NOT_CHECKED
from services.questions.generate import ShownFacts, read_shown_facts

ONLY_IN_ARCHIVE = "model: only answer"
MOST_STATEMENTS = 8
"""Statements that a request shows."""
CLAIMS_LOOKED_AT = 500
"""Claims of one entity among which the nearest are looked for."""
FACTS_A_BATCH = 200
LONGEST_ANSWER = 120
ROOM_TOKENS, EXPECTED_TOKENS = 1_000, 18

_SCHEMA = Schema(
    "rivals",
    json_object(
        verdict={"type": "string", "enum": ["only", "several"]},
        other={"type": "string"},
        statement={"type": "integer"},
    ),
)


@dataclass(frozen=True, slots=True)
class OnlyAnswerInArchive:
    """A model finds no other answer in what the archive states beside a question's facts.

    Chains alone are asked about; one of whose entities nothing else is stated passes unasked.
    """

    graph: Graph
    model: Model
    name: str = ONLY_IN_ARCHIVE

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        requests = other_answer_requests(self.graph, drafts)
        verdicts = [PASS] * len(drafts)
        for at, outcome in zip(requests, self.model.ask(requests.values()), strict=True):
            verdicts[at] = _verdict(outcome)
        return verdicts


def _verdict(outcome: ModelOutcome) -> Verdict:
    if isinstance(outcome, Failure):
        return fail(f"{NOT_CHECKED}{outcome.message}")
    value = outcome.value if isinstance(outcome.value, dict) else {}
    if value.get("verdict") == "only":
        return PASS
    other = " ".join(str(value.get("other", "")).split())[:LONGEST_ANSWER] or "another answer"
    return fail(f'by other statements "{other}" would be right as well')


def other_answer_requests(graph: Graph, drafts: Sequence[Draft]) -> dict[int, ModelRequest]:
    """What is asked, by the place of the draft; none for a draft beside which nothing is stated."""
    statements = read_other_statements(graph, drafts)
    facts = (fact for at in statements for fact in drafts[at].facts)
    shown = read_shown_facts(graph, facts, (drafts[at].path for at in statements))
    return {at: other_answer_request(drafts[at], shown, found) for at, found in statements.items()}


def other_answer_request(draft: Draft, shown: ShownFacts, others: Sequence[str]) -> ModelRequest:
    """Whether one of some other statements gives the question another answer."""
    prompt = load_prompt("check-question-rivals")
    question = f"{on_one_line(draft.text)}\nAnswer: {on_one_line(draft.answer)}"
    numbered = "\n".join(f"[{number}] {on_one_line(text)}" for number, text in enumerate(others, start=1))
    messages = prompt.fill(
        question=fence(question, "question and answer"),
        facts=shown.facts(draft.facts),
        names=shown.names(draft.stops, draft.facts, draft.path),
        others=fence(numbered, "other statements"),
    )
    return ModelRequest(
        messages,
        prompt.id,
        _SCHEMA,
        max_output_tokens=ROOM_TOKENS,
        expected_output_tokens=EXPECTED_TOKENS,
    )


def read_other_statements(graph: Graph, drafts: Sequence[Draft]) -> dict[int, list[str]]:
    """What else the archive states about the entities that chains lead through, by the place of the draft.

    Statements come by turns from the last hop, the one before it, and so on, each text once and none that the
    question's own facts were taken from.
    """
    rows = [
        {
            "at": at,
            "hop": fact.index,
            "claim": fact.claim,
            "claims": [one.claim for one in draft.facts],
            "left": left.id,
            "reached": reached.id,
        }
        for at, draft in enumerate(drafts)
        if draft.kind == "chain"
        for fact, left, reached in zip(draft.facts, draft.stops[:-1], draft.stops[1:], strict=True)
    ]
    statement = query("claims/read_nearby")
    by_hop: defaultdict[int, dict[int, list[str]]] = defaultdict(dict)
    for row in graph.read_rows(
        statement, rows, FACTS_A_BATCH, looked_at=CLAIMS_LOOKED_AT, most=MOST_STATEMENTS
    ):
        by_hop[row["at"]][row["hop"]] = row["texts"]
    return {
        at: list(dict.fromkeys(filter(None, chain.from_iterable(_by_turns(hops)))))[:MOST_STATEMENTS]
        for at, hops in sorted(by_hop.items())
    }


def _by_turns(hops: Mapping[int, Sequence[str]]) -> Iterable[tuple[str | None, ...]]:
    """The first text of each hop, the last hop's before all, then the second of each, and so on."""
    return zip_longest(*(hops[hop] for hop in sorted(hops, reverse=True)))
