"""Chain questions by a language model that reads triples, claims and what stands around them.

As in GRADE (sections 3.2 and A.9.5) the model words the question, and the path says what it asks for. An
answer that is not the end of the path is a question about something else and is rejected; so is one for which
the model gave nothing that can be used, or found that no good question can be made.

What a model is shown of the facts of a question: what they state, where, and why their names join.

Whoever writes a question and whoever judges it see the same: each fact as a triple, as the statement that was
verified when it was extracted, and as the sentence of the article between its neighbours. A pronoun that the
statement resolved, or a name that stands for another one, is then no misreading: what joins the facts is said
beside them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.llm.prompts import Prompt, fence, load_prompt, on_one_line
from kg.llm.protocol import (
    Estimate,
    Failure,
    JsonValue,
    Model,
    ModelOutcome,
    ModelRequest,
    Schema,
    json_object,
)
from kg.queries import query
from kg.resolve.model_links import plain_reason
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, batches
from kg.text.sentences import sentence_spans
from services.questions.chains import draft_chain, read_chains, worded_chain
from services.questions.draft import Chain, Check, Draft, Fact, Made, Stop
from services.questions.filters.name_use import any_named

AROUND = 600
"""Letters before and behind a sentence in which its neighbours are looked for."""
MOST_ALIASES = 5
NOTHING_TO_SAY = "Every name in the facts is the name of its entity."


@dataclass(frozen=True, slots=True)
class ArticleHead:
    """Where a text is from; `published` is a day as ISO text. What is not known is empty."""

    title: str
    source: str
    published: str

    @property
    def origin(self) -> str:
        """Source and day in words."""
        return ", ".join(filter(None, (on_one_line(self.source), self.published)))

    @property
    def whole(self) -> str:
        """The title in quotation marks, source and day."""
        title = on_one_line(self.title)
        return ", ".join(filter(None, (f'"{title}"' if title else "", self.origin)))


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim: the statement that stands alone, its sentence, and the sentences before and behind it."""

    text: str
    sentence: str
    before: str
    after: str
    head: ArticleHead


@dataclass(frozen=True, slots=True)
class NameLink:
    """In one fact `name` stands for the entity `meant`, though it does not everywhere; `why` in words."""

    name: str
    meant: str
    why: str


@dataclass(frozen=True, slots=True)
class ShownFacts:
    """What is known of the facts of some questions: statements by claim, links by path and hop."""

    statements: Mapping[str, Statement]
    links: Mapping[tuple[str, int], Sequence[NameLink]]

    def facts(self, facts: Iterable[Fact], *, titles: bool = False) -> str:
        """The facts inside a fence, each with its statement and its place in the article.

        With `titles` the article's title stands there as well, for questions that name articles by it.
        """
        return fence("\n".join(line for fact in facts for line in self._fact(fact, titles)), "facts")

    def names(self, stops: Sequence[Stop], facts: Sequence[Fact], path: str = "") -> str:
        """Which names are one, and why, inside a fence.

        Aliases that the facts use come first, then others, a few for each entity.
        """
        said = " ".join(f"{fact.subject}\n{fact.object}\n{self._text(fact)}" for fact in facts)
        told = [line for stop in stops if (line := _also_called(stop, said))]
        for fact in facts:
            told += [_link_line(fact, link) for link in self.links.get((path, fact.index), ())]
        return fence("\n".join(told) or NOTHING_TO_SAY, "names")

    def _fact(self, fact: Fact, titles: bool) -> list[str]:
        triple = " | ".join(map(on_one_line, (fact.subject, fact.predicate, fact.object)))
        known = self.statements.get(fact.claim)
        if known is None:
            return [f"Fact {fact.index}: {triple}", f"  article: {on_one_line(fact.sentence)}"]
        around = " ".join(map(on_one_line, filter(None, (known.before, known.sentence, known.after))))
        place = known.head.whole if titles else known.head.origin
        origin = f" ({place})" if place else ""
        speaker = [f"  said by: {on_one_line(fact.attributed_to)}"] if fact.attributed_to else []
        return [
            f"Fact {fact.index}: {triple}",
            *speaker,
            f"  statement: {on_one_line(known.text)}",
            f"  article{origin}: {around}",
        ]

    def _text(self, fact: Fact) -> str:
        known = self.statements.get(fact.claim)
        return known.text if known else fact.sentence


def read_shown_facts(graph: Graph, facts: Iterable[Fact], paths: Iterable[str] = ()) -> ShownFacts:
    """What is to be shown of some facts; `paths` are those that questions follow, for the links on them."""
    claims = sorted({fact.claim for fact in facts if fact.claim})
    rows = list(graph.read_in_batches(query("claims/read_claims"), claims))
    articles = sorted({row["article"] for row in rows if row["article"]})
    bodies = {
        row["id"]: row["body"] or "" for row in graph.read_in_batches(query("articles/read_bodies"), articles)
    }
    statements = {}
    for row in rows:
        before, after = _neighbours(bodies.get(row["article"], ""), row["start"], row["end"])
        head = ArticleHead(row["title"], row["source"], row["published"])
        statements[row["id"]] = Statement(row["text"], row["sentence"], before, after, head)
    links: dict[tuple[str, int], list[NameLink]] = defaultdict(list)
    for row in graph.read_in_batches(query("links/read_of_hops"), sorted(set(filter(None, paths)))):
        links[row["path"], row["hop"]].append(
            NameLink(row["said"], row["meant"], plain_reason(row["evidence"]))
        )
    return ShownFacts(statements, links)


def _neighbours(body: str, start: int | None, end: int | None) -> tuple[str, str]:
    """The sentences before and behind a place of an article, empty where there is none."""
    if start is None or end is None:
        return "", ""
    before, after = body[max(0, start - AROUND) : start], body[end : end + AROUND]
    left, right = sentence_spans(before), sentence_spans(after)
    return (
        before[left[-1].start : left[-1].end] if left else "",
        after[right[0].start : right[0].end] if right else "",
    )


def _also_called(stop: Stop, said: str) -> str:
    others = [name for name in stop.aliases if normal_form(name) != normal_form(stop.name)]
    used = [name for name in others if name in said]
    shown = list(dict.fromkeys((*used, *others)))[: max(MOST_ALIASES, len(used))]
    names = ", ".join(map(on_one_line, shown))
    return f"{on_one_line(stop.name)}: also called {names}" if shown else ""


def _link_line(fact: Fact, link: NameLink) -> str:
    because = f", because {on_one_line(link.why)}" if link.why else ""
    said, meant = on_one_line(link.name), on_one_line(link.meant)
    return f'In fact {fact.index} the articles use "{said}" for {meant}{because}'


WRITTEN = "written by the model"
FOUND = "writer found a question"
ENDS_RIGHT = "model's answer is the end"
WRITER_CHECKS = (WRITTEN, FOUND, ENDS_RIGHT)
"""What is checked of a model's question before any filter sees it."""

MODEL_WRITER = 2
PATHS_A_BATCH = 200
ROOM_TOKENS = 800
FOUND_SHARE = 0.56
"""The share of paths of which a model made a question: 114 of 202 in the jobs of docs/evaluation/model.md; of
those that rules would reject it makes none."""
EXPECTED_OF_A_HOP, EXPECTED_REFUSAL = 45, 38
"""Tokens of an ordinary answer: a question for each hop behind the first, which is the longer the later it
comes (63, 107 and 173 in all for 2, 3 and 4 hops); and the reason why there is none."""
LONGEST_DETAIL = 200

NO_PROBLEM = "none"
PROBLEMS = (
    NO_PROBLEM,
    "unclear start",
    "no relation",
    "same fact twice",
    "names differ",
    "unclear answer",
    "several answers",
    "fact can be skipped",
    "circular",
    "other",
)
"""Why a model may find that a chain makes no good question."""

_TEXT: Mapping[str, JsonValue] = {"type": "string"}
_OF_ONE_FACT = frozenset({"several answers", "fact can be skipped"})
"""Problems of which a writer says in its reason which fact has them."""
_OF_A_JOIN = "names differ"

_FACT = re.compile(r"\bfacts? (\d)(?:(?:,| and| to|-) ?(\d))?")

SCHEMA = Schema(
    "question",
    json_object(
        problem={"type": "string", "enum": list(PROBLEMS)},
        why=_TEXT,
        steps={"type": "array", "items": _TEXT},
        question=_TEXT,
        answer=_TEXT,
    ),
)


def writer_name(model: str) -> str:
    """What is recorded with a model's questions: "model-2/MODEL/write-question@3"."""
    return f"model-{MODEL_WRITER}/{model}/{_prompt().id}"


def write_by_model(graph: Graph, model: Model, chains: Sequence[Chain]) -> list[Made]:
    """A draft for each chain, with what was checked of it; one whose checks failed is a rejected question.

    Raises:
        ModelRefusedError: the endpoint refused for good.
        ModelUnavailableError: the endpoint does not answer.
        BudgetReachedError: the budget is spent. What was answered comes from the cache next time.
    """
    outcomes = model.ask(_requests(graph, chains))
    return [_made(chain, outcome, model.name) for chain, outcome in zip(chains, outcomes, strict=True)]


def estimate_writing(graph: Graph, model: Model, paths: Sequence[str]) -> Estimate:
    """What the questions of some paths would take; nothing is sent."""

    def requests() -> Iterator[ModelRequest]:
        for some in batches(paths, PATHS_A_BATCH):
            yield from _requests(graph, read_chains(graph, some))

    return model.estimate(requests())


def stand_in(chain: Chain) -> Draft:
    """The rules' question as if a model had worded it, to count what its checks would take."""
    return replace(draft_chain(chain), generator=writer_name("any"))


def _made(chain: Chain, outcome: ModelOutcome, model: str) -> Made:
    if isinstance(outcome, Failure):
        check = Check(WRITTEN, passed=False, reason=outcome.message[:LONGEST_DETAIL])
        return Made(worded_chain(chain, "", (), writer_name(model)), (check,))
    value = outcome.value if isinstance(outcome.value, Mapping) else {}
    problem, why, text, answer = (
        said_by_model(value.get(key)) for key in ("problem", "why", "question", "answer")
    )
    given = value.get("steps")
    steps = [said_by_model(step) for step in given] if isinstance(given, list) else []
    # Where steps are left out or too many, nothing tells which hop one of them ends at.
    fit = len(steps) == len(chain.facts) - 1
    draft = worded_chain(chain, text, steps if fit else (), writer_name(model))
    written = Check(WRITTEN, passed=True)
    if problem != NO_PROBLEM:
        reason = f"{problem}: {why}".rstrip(": ")[:LONGEST_DETAIL]
        hop = _join_blamed(why, draft) if problem == _OF_A_JOIN else _hop_blamed(problem, why, draft.hops)
        return Made(draft, (written, Check(FOUND, False, reason, hop, at_join=problem == _OF_A_JOIN)))
    if not text:
        return Made(draft, (Check(WRITTEN, passed=False, reason="empty: the question holds nothing"),))
    found = Check(FOUND, passed=True)
    if normal_form(answer) not in {normal_form(name) for name in draft.accepted}:
        reason = f"the model answers {answer[:LONGEST_DETAIL]!r}, the path ends at {draft.answer!r}"
        return Made(draft, (written, found, Check(ENDS_RIGHT, passed=False, reason=reason)))
    return Made(draft, (written, found, Check(ENDS_RIGHT, passed=True)))


def _hop_blamed(problem: str, why: str, hops: int) -> int:
    """The hop whose fact a writer found no question for, 0 where it names none."""
    named = _FACT.search(why) if problem in _OF_ONE_FACT else None
    return int(named[1]) if named and 1 <= int(named[1]) <= hops else 0


def _join_blamed(why: str, draft: Draft) -> int:
    """The hop that a writer finds not to join the one before it; 0 where its reason doesn't tell which.

    It names two facts that follow each other, or the only entity on the way that may mean two things.
    """
    facts = sorted({int(number) for found in _FACT.findall(why) for number in found if number})
    if len(facts) == 2 and facts[1] == facts[0] + 1 <= draft.hops:
        return facts[1]
    on_the_way = [hop for hop in range(2, draft.hops + 1) if any_named(why, draft.stops[hop - 1].names)]
    return on_the_way[0] if len(on_the_way) == 1 else 2 * (draft.hops == 2)


def said_by_model(value: object) -> str:
    """A member of a model's reply as text in one line, "" where there is none."""
    return " ".join(str(value or "").split())


def _requests(graph: Graph, chains: Sequence[Chain]) -> list[ModelRequest]:
    facts = (fact for chain in chains for fact in chain.facts)
    shown = read_shown_facts(graph, facts, (chain.path for chain in chains))
    return [question_request(chain, shown) for chain in chains]


def question_request(chain: Chain, shown: ShownFacts) -> ModelRequest:
    """A chain with what is shown of its facts, to be worded as a question."""
    messages = _prompt().fill(
        chain=fence(" > ".join(on_one_line(stop.name) for stop in chain.stops), "chain"),
        facts=shown.facts(chain.facts),
        names=shown.names(chain.stops, chain.facts, chain.path),
    )
    return ModelRequest(
        messages,
        _prompt().id,
        SCHEMA,
        max_output_tokens=ROOM_TOKENS,
        expected_output_tokens=_expected_tokens(len(chain.facts)),
    )


def _expected_tokens(hops: int) -> int:
    """What an answer takes on average, whether the model makes a question or finds that there is none."""
    made = EXPECTED_OF_A_HOP * (hops - 1) + EXPECTED_OF_A_HOP // 2
    return round(FOUND_SHARE * made + (1 - FOUND_SHARE) * EXPECTED_REFUSAL)


def _prompt() -> Prompt:
    return load_prompt("write-question")
