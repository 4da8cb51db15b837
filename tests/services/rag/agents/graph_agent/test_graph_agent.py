"""The graph agent over the small world: what its tools show, its walk by rules, and its walk by a model.

Which fact answers a part of a question: by its words, its direction, and what it leads to.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kg.llm.budget import Budget
from kg.llm.protocol import Model
from kg.llm.roles import open_model
from kg.model import Entity, EntityType
from kg.queries import query
from kg.store.graph import Graph
from kg.text.tokens import count_tokens
from services.rag.agents.choose import make_agent
from services.rag.agents.graph_agent import tools as graph_tools_module
from services.rag.agents.graph_agent.seen import Claim, Fact, SeenEntities, SeenFacts
from services.rag.agents.graph_agent.tools import graph_tools
from services.rag.agents.graph_agent.walk import LEAST_FIT, Part, Way, fit_of, go_on
from services.rag.agents.protocol import AgentContext, Call, Observation, PendingCall
from services.rag.answering import read_passages
from services.rag.context import evidence_of, within_evidence
from services.rag.model_generator import ModelGenerator
from services.rag.protocol import Generator, RagAnswer, RagQuestion
from services.rag.reader import RulesGenerator
from services.rag.retrieval.choose import open_retriever
from tests.graph_reading import change
from tests.scripted_endpoint import Asked as ModelAsked
from tests.scripted_endpoint import Said, scripted_endpoint
from tests.services.rag.scripted_answers import answer_as_told
from tests.small_world import tools

CHAIN = (
    "At which university did the person study who founded the company that owns the club that "
    "Mira Tolland plays for?"
)
_FENCE = re.compile(r"<<data ([0-9a-f]+): ([^>]*)>>\n(.*?)\n<<end \1>>", re.DOTALL)


def place_at(
    graph: Graph, corpus: str, generator: Generator | None = None, model: Model | None = None, **limits: int
) -> AgentContext:
    embedder = tools().embedder
    return AgentContext(
        graph,
        corpus,
        embedder,
        open_retriever("vector", graph, corpus, embedder, 20),
        partial(read_passages, graph),
        generator or RulesGenerator(),
        model,
        lambda _: None,
        top=3,
        most_iterations=limits.get("most_iterations"),
    )


def asked(*texts: str) -> list[RagQuestion]:
    vectors = tools().embedder.embed(texts)
    return [
        RagQuestion(f"q{n}", text, vector)
        for n, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]


def shown(place: AgentContext, tool: str, *calls: dict[str, Any]) -> list[Observation]:
    (question,) = asked("Who owns the club?")
    return graph_tools(place)[tool].run([PendingCall(question, Call(tool, arguments)) for arguments in calls])


def walk(place: AgentContext, *questions: str) -> list[RagAnswer]:
    return make_agent("graph-agent", place).answer(asked(*questions))


def test_names_are_found_in_texts_by_any_of_their_forms(graph: Graph, small_corpus: str) -> None:
    place = place_at(graph, small_corpus)
    texts = ("Who founded the NHB?", "Did mira tolland and Halden Shipping meet?", "Nobody Known sings.")
    found = shown(place, "find_entities", *({"text": text} for text in texts))
    named = [[one.node.name for one in seen.mentions] for seen in found if isinstance(seen, SeenEntities)]
    assert named == [["Norholm Health Board"], ["Mira Tolland", "Halden Shipping"], []]
    assert "Mira Tolland (PERSON) [entity-" in found[1].text
    assert found[2].text == "the graph knows none of the names"


def test_facts_are_shown_from_both_ends_those_first_that_are_asked_for(
    graph: Graph, small_corpus: str
) -> None:
    place = place_at(graph, small_corpus)
    calls = (
        {"entities": ["Halden Shipping"], "about": "Who founded Halden Shipping?"},
        {"entities": ["Halden Shipping"], "about": "Which club does Halden Shipping own?"},
        {"entities": ["Nobody Known"], "about": "Who is that?"},
        {"entities": [], "about": "Who is that?"},
    )
    founder, club, unknown, malformed = shown(place, "expand", *calls)
    assert isinstance(founder, SeenFacts)
    assert isinstance(club, SeenFacts)
    assert founder.facts[0].end.name == "Greta Lindqvist"
    assert club.facts[0].end.name == "Ostby Rovers"
    assert {fact.end.name for fact in founder.facts} == {"Greta Lindqvist", "Ostby Rovers"}
    assert "Anton Brask" not in founder.text  # what is denied is no fact
    assert (unknown.text, unknown.fault) == ("the graph states nothing about them", None)
    assert malformed.fault == "malformed call"


def test_an_entity_with_more_facts_than_are_shown_says_so(
    graph: Graph, small_corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = {"entities": ["Halden Shipping"], "about": "Who founded Halden Shipping?"}
    (whole,) = shown(place_at(graph, small_corpus), "expand", call)
    monkeypatch.setattr(graph_tools_module, "MOST_FACTS", 1)
    (cut,) = shown(place_at(graph, small_corpus), "expand", call)
    assert isinstance(cut, SeenFacts)
    assert [fact.end.name for fact in cut.facts] == ["Greta Lindqvist"]
    assert cut.text.endswith('Halden Shipping has further facts: another "about" shows others.')
    assert "further facts" not in whole.text


def test_a_fact_that_is_mirrored_shows_and_equivalents_are_jumped_to(graph: Graph, small_corpus: str) -> None:
    place = place_at(graph, small_corpus)
    (seen,) = shown(
        place, "expand", {"entities": ["Orla Venning"], "about": "Which medal was awarded to Orla Venning?"}
    )
    assert isinstance(seen, SeenFacts)
    medal = next(fact for fact in seen.facts if fact.end.name == "Corrin Medal")
    assert medal.mirrored
    both = {"entities": ["Orla Venning", "Venning"], "about": "Which medal was awarded to Orla Venning?"}
    (once,) = shown(place, "expand", both)
    assert isinstance(once, SeenFacts)
    assert sum(fact.id == medal.id for fact in once.facts) == 2
    assert sum("Corrin Medal" in line for line in once.text.splitlines()) == 1
    same, none = shown(place, "same_as", {"entities": [medal.start.id]}, {"entities": ["Mira Tolland"]})
    assert isinstance(same, SeenEntities)
    assert [one.node.name for one in same.mentions] == ["Venning"]
    assert none.text == "no other entity means the same"


def test_a_denied_fact_isnt_shown_where_it_is_mirrored(graph: Graph, corpus: str) -> None:
    """Two facts of "Venning" are mirrored onto "Orla Venning"; one of them is denied."""
    change(
        graph,
        """
        CREATE (full:Entity {id: 'orla', corpus: $corpus, name: 'Orla Venning', type: 'PERSON'}),
               (short:Entity {id: 'venning', corpus: $corpus, name: 'Venning', type: 'PERSON'})
        WITH full, short UNWIND [['won', true], ['lost', false]] AS one
        CREATE (o:Entity {id: one[0], corpus: $corpus, name: one[0], type: 'THING'}),
               (short)-[:RELATES {id: one[0], predicate: one[0], claim: one[0], stated: one[1],
                                  embedding: $vector}]->(o),
               (full)-[:MIRRORED {mirror_of: one[0]}]->(o)
        """,
        corpus=corpus,
        vector=[1.0, 0.0],
    )
    rows = [{"row": 0, "entity": "orla", "vector": [1.0, 0.0]}]
    (seen,) = graph.rows(query("entities/expand_entities"), corpus=corpus, rows=rows, most=9)
    assert [(fact["fact"], fact["mirrored"]) for fact in seen["facts"]] == [("won", True)]


def test_reading_claims_shows_their_chunks(graph: Graph, small_corpus: str) -> None:
    place = place_at(graph, small_corpus)
    (facts,) = shown(place, "expand", {"entities": ["Ostby Rovers"], "about": "Who owns them?"})
    assert isinstance(facts, SeenFacts)
    claim = facts.facts[0].claim
    read, unknown, none = shown(
        place,
        "read_claims",
        {"claims": [f"[{claim}]", claim], "about": "Who owns them?"},
        {"claims": ["claim-0123456789abcdef"]},
        {"claims": ["the first one"]},
    )
    assert "Halden Shipping" in read.text
    assert (read.retrieves, read.top_k, read.query) == (True, 1, "Who owns them?")
    chunks = place.read([hit.chunk for hit in read.hits])
    assert all("owned by Halden Shipping" in chunk.text for chunk in chunks.values())
    assert (unknown.hits, unknown.fault) == ((), None)
    assert none.fault == "malformed call"


def test_by_rules_it_walks_the_chain_to_its_end(graph: Graph, small_corpus: str) -> None:
    (found,) = walk(place_at(graph, small_corpus), CHAIN)
    assert found.text == "Verrin University"
    assert [step.action for step in found.steps] == [
        "plan", "find_entities", *["expand", "read_claims"] * 4, "answer",
    ]  # fmt: skip
    reads = [step for step in found.steps if step.retrieves]
    assert [step.query for step in reads][1] == "Which company owns Ostby Rovers?"
    assert {one.chunk for one in found.retrieved} == {hit.chunk for step in reads for hit in step.hits}
    assert found.chunk in {hit.chunk for hit in reads[-1].hits}
    assert found.sentence == "Greta Lindqvist studied at Verrin University."


def test_where_no_chain_closes_it_searches_and_reads(graph: Graph, small_corpus: str) -> None:
    compared = "Was Verrin University founded before Halden Shipping?"
    dead_end = "Who trained the person who founded Halden Shipping?"
    first, second = walk(place_at(graph, small_corpus), compared, dead_end)
    assert [step.action for step in first.steps] == ["plan", "search", "answer"]
    assert [step.query for step in second.steps if step.action == "search"] == [
        "Who trained Greta Lindqvist?"
    ]
    assert "same_as" in [step.action for step in second.steps]
    assert second.text == "Insufficient information"


def test_questions_side_by_side_fare_as_alone(graph: Graph, small_corpus: str) -> None:
    place = place_at(graph, small_corpus)
    questions = (CHAIN, "Who founded the NHB?", "Who sings?")
    together = walk(place, *questions)
    for question, one in zip(questions, together, strict=True):
        (alone,) = walk(place, question)
        assert (one.text, [step.query for step in one.steps]) == (
            alone.text,
            [step.query for step in alone.steps],
        )
    assert together[1].text == "Otto Pelham"


def test_it_stops_when_its_calls_are_used_up(graph: Graph, small_corpus: str) -> None:
    (found,) = walk(place_at(graph, small_corpus, most_iterations=3), CHAIN)
    assert [step.action for step in found.steps] == [
        "plan",
        "find_entities",
        "expand",
        "read_claims",
        "answer",
    ]
    assert found.error == ""


def test_what_it_shows_is_paid_from_the_evidence(graph: Graph, small_corpus: str) -> None:
    generator = within_evidence(RulesGenerator(), 64)
    (found,) = walk(place_at(graph, small_corpus, generator), CHAIN)
    budget = evidence_of(generator)
    assert budget is not None
    told = {line for step in found.steps for line in step.observation.splitlines() if " -> " in line}
    assert 0 < sum(count_tokens(line.partition(" -> ")[0]) for line in told) <= 64
    assert budget.tokens_left("q0") >= 0


def call(name: str, **arguments: object) -> Said:
    return Said("Next hop.", calls=((name, arguments),), finish_reason="tool_calls")


@contextmanager
def model_place(
    graph: Graph, corpus: str, home: Path, responder: Callable[[ModelAsked], Any], **limits: int
) -> Iterator[AgentContext]:
    with scripted_endpoint(responder) as endpoint:
        settings = endpoint.settings(home, hopgrade_model_retries=0)
        with open_model("answer", settings, Budget(price=(1.0, 2.0)), sleep=lambda _: None) as model:
            generator = ModelGenerator(model, lambda _: None)
            yield place_at(graph, corpus, generator, model, **limits)


class Playing:
    """Plays turns; a turn may be made of what was said to the model last. Keeps what it was asked."""

    def __init__(self, *turns: Said | Callable[[str], Said]) -> None:
        self.turns: Sequence[Said | Callable[[str], Said]] = turns
        self.asked: list[ModelAsked] = []

    def __call__(self, request: ModelAsked) -> object:
        self.asked.append(request)
        if request.system.startswith("You plan"):
            return "1. From Mira Tolland to a club.\n2. From [the club of 1] to its owner."
        if not request.system.startswith("You find"):
            return answer_as_told(request)
        at = sum(role == "assistant" for role, _ in request.messages)
        turn = self.turns[min(at, len(self.turns) - 1)]
        return turn if isinstance(turn, Said) else turn(request.messages[-1][1])


def read_first(told: str) -> Said:
    return call("read_claims", claims=re.findall(r"claim-[0-9a-f]{16,24}", told)[:1], about="Who owns them?")


def test_by_a_model_it_walks_with_the_tools_and_cites_claims(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    playing = Playing(
        call("find_entities", text="Mira Tolland"),
        lambda told: call("expand", entities=re.findall(r"entity-[0-9a-f]{16,24}", told), about="her club"),
        call("expand", entities=["Ostby Rovers"], about="Who owns them?"),
        read_first,
        call("answer", answer="Halden Shipping", passages=[1]),
    )
    question = "Which organisation owns the club that Mira Tolland plays for?"
    with model_place(graph, small_corpus, tmp_path, playing) as place:
        (found,) = walk(place, question)
    assert [step.action for step in found.steps] == [
        "plan", "find_entities", "expand", "expand", "read_claims", "answer",
    ]  # fmt: skip
    assert (found.text, found.error) == ("Halden Shipping", "")
    assert set(found.cited) == {hit.chunk for hit in found.steps[4].hits}
    assert found.prompts == ("walk-plan@2", "walk-step@2")
    told = playing.asked[-1].messages
    assert "Calls left: 16." in told[-1][1]
    outside = _FENCE.sub("", "\n".join(text for _, text in told))
    assert "Halden" not in outside
    assert question not in outside


@pytest.mark.parametrize(
    ("turn", "fault"),
    [
        (call("fly_to", entities=["Ostby Rovers"]), "unknown tool"),
        (call("expand", entities=["Ostby Rovers"]), "malformed call"),
        (Said("I think a while."), "no call"),
        (call("find_entities", text="Mira Tolland"), "repeated query"),
    ],
    ids=["unknown tool", "malformed", "no call", "repeated"],
)
def test_turns_that_come_to_nothing_are_told_counted_and_ended(
    graph: Graph, small_corpus: str, tmp_path: Path, turn: Said, fault: str
) -> None:
    playing = Playing(call("find_entities", text="Mira Tolland"), turn)
    with model_place(graph, small_corpus, tmp_path, playing) as place:
        (found,) = walk(place, "Which organisation owns the club that Mira Tolland plays for?")
    faults = [step.fault for step in found.steps if step.fault]
    assert set(faults) == {fault, "loop"}
    assert found.steps[-1].action == "answer"
    assert found.error == ""
    spoken = [text for role, text in playing.asked[-2].messages if role in {"user", "tool"}]
    assert "Call one tool for the next hop" in spoken[-1]


def test_by_a_model_a_mirrored_fact_is_told_once_in_a_walk(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    about = "Which medal was awarded to Orla Venning?"
    playing = Playing(
        call("expand", entities=["Orla Venning"], about=about),
        call("expand", entities=["Venning"], about=about),
        call("expand", entities=["Venning"], about="the medal of Venning"),
        call("answer", answer="Corrin Medal"),
    )
    with model_place(graph, small_corpus, tmp_path, playing) as place:
        (found,) = walk(place, about)
    assert [step.action for step in found.steps] == ["plan", *["expand"] * 3, "answer"]
    assert all("Corrin Medal" in step.observation for step in found.steps[1:4])
    first, second, third = (text for role, text in playing.asked[-1].messages if role == "tool")
    assert "Corrin Medal" in first
    assert "Corrin Medal" not in second + third
    assert "2 more facts were shown under another name." in second


def node(name: str, kind: EntityType = "PERSON") -> Entity:
    return Entity(f"entity-{name}", name, kind)


ANN, BO, CLUB = node("Ann Brel"), node("Bo Carr"), node("Ostby Rovers", "ORG")
HILL = node("Hill", "ORG")


def fact(start: Entity, predicate: str, end: Entity, forward: bool = True, likeness: float = 0.5) -> Fact:
    return Fact(start, predicate, end, forward, f"claim-{predicate}", likeness, mirrored=False)


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        ("Whom did Ann Brel succeed?", fact(ANN, "succeeded", BO), fact(ANN, "succeeded", BO, False)),
        ("Who succeeded Ann Brel?", fact(ANN, "succeeded", BO, False), fact(ANN, "succeeded", BO)),
        ("Who was succeeded by Ann Brel?", fact(ANN, "succeeded", BO), fact(ANN, "succeeded", BO, False)),
        ("Who was Ann Brel succeeded by?", fact(ANN, "succeeded", BO, False), fact(ANN, "succeeded", BO)),
        ("Who sold Ann Brel?", fact(ANN, "was sold by", BO), fact(ANN, "was sold by", BO, False)),
        ("Which club does Ann Brel play for?", fact(ANN, "plays for", CLUB), fact(ANN, "sued", CLUB)),
        ("Who trained Ann Brel?", fact(ANN, "trained", BO, False), fact(ANN, "trained", CLUB, False)),
        ("Where does Ann Brel work?", fact(ANN, "works at", CLUB), fact(ANN, "lives near", CLUB)),
        ("Which rovers did Ann Brel join?", fact(ANN, "joined", CLUB), fact(ANN, "joined", HILL)),
    ],
)  # fmt: skip
def test_the_fact_that_is_asked_for_fits_better(question: str, better: Fact, worse: Fact) -> None:
    part = Part(question, ("Ann Brel",))
    assert fit_of(part, better) > fit_of(part, worse)


def test_a_place_that_contains_is_found_from_what_is_located_there() -> None:
    dome, town = node("Comet Dome", "FAC"), node("Lindhaven", "GPE")
    part = Part("Which town contains the Comet Dome?", ("Comet Dome",))
    located = fact(dome, "is located in", town)
    assert fit_of(part, located) > fit_of(part, fact(dome, "is located in", town, False))


def test_a_claim_that_has_the_words_makes_a_fact_surer() -> None:
    part = Part("When was the opening of the Comet Dome?", ("Comet Dome",))
    dated = fact(node("Comet Dome", "FAC"), "dates from", node("4 May 2031", "DATE"))
    claim = Claim(
        "claim-1", "The Comet Dome opened on 4 May 2031.", "It opened then.", "", "", "", ("chunk-1",)
    )
    assert fit_of(part, dated, claim) > fit_of(part, dated)


def test_ways_go_on_from_what_earlier_parts_led_to_and_never_back() -> None:
    way = Way((fact(ANN, "plays for", CLUB),), (0.9,), ("Which club does Ann Brel play for?",))
    owned = fact(CLUB, "are owned by", node("Halden Shipping", "ORG"))
    back = fact(CLUB, "signed", ANN)
    foreign = fact(BO, "own", node("Kell", "ORG"))
    (longer,) = go_on([way], "Which company owns #1?", {}, [back, foreign, owned])
    assert [one.end.name for one in longer.facts] == ["Ostby Rovers", "Halden Shipping"]
    assert longer.texts[-1] == "Which company owns Ostby Rovers?"
    assert longer.worth == pytest.approx(0.9 * longer.fits[-1])
    assert go_on([way], "Which company owns #1?", {}, [back]) == []
    unlike = fact(CLUB, "sued", node("Kell", "ORG"), likeness=0.0)
    assert go_on([way], "Which company owns #1?", {}, [unlike]) == []
    assert longer.fits[-1] >= LEAST_FIT
