"""Requests for gold items of the prompts that make a graph and questions, by the product's own builders.

What a gold item gives, read with types: the nouns that prompts share, and a model that only listens.

Passages are `{title, source, date, text}`; what is left out of them is empty.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, TypeVar, get_args

from kg.errors import InputError
from kg.extract.model_requests import check_request, claims_request, triples_request
from kg.extract.model_text import NumberedArticle
from kg.llm.protocol import Estimate, Failure, JsonValue, ModelOutcome, ModelRequest
from kg.model import EntityType
from kg.resolve.cluster_context import EntityCard
from kg.resolve.cluster_context import Fact as ClusterFact
from kg.resolve.contextual import ordered_pair
from kg.resolve.link_batches import LinkBatch, LinkPair
from kg.resolve.model_links import links_request
from services.questions.composed.model_atoms import atoms_request
from services.questions.composed.model_joiner import audit_request, forms_request, join_request, mend_request
from services.questions.composed.passages import Passage as SourcePassage
from services.questions.composed.protocol import Atom, Candidate, Composed, Hop, Topology
from services.questions.draft import Chain, Check, Draft, Fact, QuestionKind, Stop
from services.questions.filters.model_checks import (
    ChunkText,
    alone_request,
    closed_book_request,
    evidence_request,
    same_answer_request,
    sense_request,
)
from services.questions.filters.other_answers import other_answer_request
from services.questions.generate import ArticleHead, NameLink, ShownFacts, Statement, question_request
from services.questions.rewording import reword_request
from services.rag.protocol import Passage


@dataclass(frozen=True, slots=True)
class ItemInputs:
    """The inputs of a gold item by their names.

    Raises InputError where an input is missing or is not what it should be.
    """

    values: Mapping[str, JsonValue]

    def text(self, name: str, default: str | None = None) -> str:
        """A text; a number is taken as it is written."""
        value = self.values.get(name, default)
        if value is None or isinstance(value, list | Mapping | bool):
            raise InputError(f"the input {name!r} of a gold item must be a text.", _REMEDY)
        return str(value)

    def number(self, name: str, default: int) -> int:
        """A whole number."""
        value = self.values.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise InputError(f"the input {name!r} of a gold item must be a whole number.", _REMEDY)
        return value

    def truth(self, name: str) -> bool | None:
        """True, false, or None where it is left out."""
        value = self.values.get(name)
        return value if isinstance(value, bool) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, empty where it is left out."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or any(isinstance(one, list | Mapping) for one in value):
            raise InputError(f"the input {name!r} of a gold item must be a list of texts.", _REMEDY)
        return tuple(map(str, value))

    def entries(self, name: str) -> tuple["ItemInputs", ...]:
        """A list of inputs with names of their own, empty where it is left out."""
        value = self.values.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
            raise InputError(
                f"the input {name!r} of a gold item must be a list of names with values.", _REMEDY
            )
        return tuple(ItemInputs(one) for one in value if isinstance(one, Mapping))

    def inner(self, name: str) -> "ItemInputs":
        """Inputs with names of their own."""
        value = self.values.get(name)
        if not isinstance(value, Mapping):
            raise InputError(f"the input {name!r} of a gold item must be names with values.", _REMEDY)
        return ItemInputs(value)

    def texts_by_number(self, name: str) -> dict[int, str]:
        """Texts by number."""
        value = self.values.get(name, {})
        if not isinstance(value, Mapping):
            raise InputError(f"the input {name!r} of a gold item must be numbers with texts.", _REMEDY)
        return {int(number): str(text) for number, text in value.items()}

    def day(self, name: str) -> date | None:
        """A day as 2031-01-09, None where it is left out."""
        text = self.text(name, "")
        return date.fromisoformat(text) if text else None

    def has(self, name: str) -> bool:
        """Whether this input is there."""
        return name in self.values


_REMEDY = "See seed/prompts/README.md and the other items of the file."


def item_passages(given: ItemInputs) -> tuple[Passage, ...]:
    """Passages as systems read them; their chunks are called p1, p2 and so on."""
    return tuple(
        Passage(
            chunk=f"p{number}",
            text=one.text("text"),
            title=one.text("title", ""),
            source=one.text("source", ""),
            published=one.text("date", ""),
        )
        for number, one in enumerate(given.entries("passages"), start=1)
    )


@dataclass(slots=True)
class Listener:
    """A model that answers nothing and keeps what it was asked: it shows what the product's own code asks."""

    requests: list[ModelRequest] = field(default_factory=list)
    name: str = "gold"

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[ModelOutcome]:
        """A failure for each request, which is kept."""
        for request in requests:
            self.requests.append(request)
            yield Failure("empty", "nobody was asked")

    def estimate(self, requests: Iterable[ModelRequest]) -> Estimate:
        """Nothing costs anything."""
        return Estimate(len(list(requests)), 0, 0, 0, None)

    def the_request(self) -> ModelRequest:
        """The one request that was made.

        Raises:
            InputError: none was made, or several.
        """
        if len(self.requests) != 1:
            raise InputError(
                f"the inputs of a gold item led to {len(self.requests)} requests, and one is wanted.", _REMEDY
            )
        return self.requests[0]


Builder = Callable[[ItemInputs], ModelRequest]
Name = TypeVar("Name", bound=str)
AnswerType = EntityType | Literal["YES_NO", "ORDER", "NONE"]
ANSWER_TYPES: tuple[AnswerType, ...] = (*get_args(EntityType), "YES_NO", "ORDER", "NONE")


def _claims(given: ItemInputs) -> ModelRequest:
    return claims_request(_article(given), _numbers(given))


def _claim_checks(given: ItemInputs) -> ModelRequest:
    statements = given.texts_by_number("statements")
    return check_request(_article(given), statements, sorted(statements))


def _triples(given: ItemInputs) -> ModelRequest:
    statements = given.texts_by_number("statements")
    return triples_request(_article(given), statements, sorted(statements))


def _article(given: ItemInputs) -> NumberedArticle:
    return NumberedArticle(given.text("title", ""), given.day("date"), given.texts("sentences"))


def _numbers(given: ItemInputs) -> list[int]:
    wanted = given.texts("numbers")
    return [int(one) for one in wanted] or list(range(1, len(given.texts("sentences")) + 1))


def _links(given: ItemInputs) -> ModelRequest:
    """Entities are `{name, type}`, facts `{subject, predicate, object, statement, not}`, pairs `{a, b}`.

    Facts and pairs call entities by their names; a pair is judged by the facts that tell of one of its two.
    """
    cards = {
        one.text("name"): EntityCard(one.text("name"), one.text("name"), _type(one.text("type")))
        for one in given.entries("entities")
    }
    claims: dict[str, str] = {}
    facts = []
    for number, one in enumerate(given.entries("facts"), start=1):
        statement = one.text("statement")
        claim = next((known for known, text in claims.items() if text == statement), f"claim {number}")
        claims[claim] = statement
        facts.append(
            ClusterFact(
                f"fact {number:02}",
                _require_name(one.text("subject"), cards),
                one.text("predicate"),
                _require_name(one.text("object"), cards),
                claim,
                negated=one.truth("not") is True,
            )
        )
    pairs = []
    for one in given.entries("pairs"):
        a, b = ordered_pair(_require_name(one.text("a"), cards), _require_name(one.text("b"), cards))
        told = tuple(fact for fact in facts if {a, b} & {fact.subject, fact.object})
        pairs.append(LinkPair(a, b, told, ("cluster",)))
    return links_request(LinkBatch(tuple(pairs)), cards, claims)


def _require_name(name: str, cards: Mapping[str, EntityCard]) -> str:
    """A name that an item's `entities` has.

    Raises:
        InputError: they don't.
    """
    return _one_of(name, tuple(cards), "name of an entity of this item")


def _type(text: str) -> EntityType:
    return _one_of(text, get_args(EntityType), "type of entity")


def _one_of(text: str, names: Sequence[Name], what: str) -> Name:
    """The name that a text is.

    Raises:
        InputError: it is none of them.
    """
    for one in names:
        if one == text:
            return one
    raise InputError(f"{text!r} is no {what}.", f"Use one of: {', '.join(names)}.")


def _question(given: ItemInputs) -> ModelRequest:
    """A chain of names, with their other names as `aliases`, and facts with their statements."""
    facts = _facts(given)
    return question_request(Chain("path", _stops(given), facts), _shown_facts(given, facts))


def _reword_request(given: ItemInputs) -> ModelRequest:
    """A question of another kind than a chain, `kind`, with its answer and facts."""
    draft = _draft(given, "comparison")
    return reword_request(draft, _shown_facts(given, draft.facts))


def _stops(given: ItemInputs) -> tuple[Stop, ...]:
    """The entities of `chain`; `aliases` are `{name, also}` for those that have other names."""
    also = {one.text("name"): one.texts("also") for one in given.entries("aliases")}
    return tuple(
        Stop(f"e{number}", name, "MISC", tuple(also.get(name, ())))
        for number, name in enumerate(given.texts("chain"), start=1)
    )


def _facts(given: ItemInputs) -> tuple[Fact, ...]:
    """Facts are `{subject, predicate, object, statement, sentence, before, after, source, date}`."""
    return tuple(
        Fact(
            index=number,
            claim=f"claim {number}",
            triple=f"triple {number}",
            subject=one.text("subject"),
            predicate=one.text("predicate"),
            object=one.text("object"),
            article=one.text("article", f"article {number}"),
            sentence=one.text("sentence", "") or one.text("statement", ""),
            chunks=(f"passage {number}",),
        )
        for number, one in enumerate(given.entries("facts"), start=1)
    )


def _shown_facts(given: ItemInputs, facts: Sequence[Fact]) -> ShownFacts:
    """What is known of the facts; `links` are `{fact, said, meant, why}` for names that stand for others."""
    statements = {
        fact.claim: Statement(
            one.text("statement", "") or fact.sentence,
            fact.sentence,
            one.text("before", ""),
            one.text("after", ""),
            _head(one),
        )
        for fact, one in zip(facts, given.entries("facts"), strict=True)
    }
    links: dict[tuple[str, int], list[NameLink]] = defaultdict(list)
    for one in given.entries("links"):
        found = NameLink(one.text("said"), one.text("meant"), one.text("why", ""))
        links["path", one.number("fact", 1)].append(found)
    return ShownFacts(statements, links)


def _draft(given: ItemInputs, kind: QuestionKind) -> Draft:
    """`kind` in the item names another kind of question, `answer_type` another type of answer."""
    answer = given.text("answer", "")
    return Draft(
        kind=_one_of(given.text("kind", kind), get_args(QuestionKind), "kind of question"),
        text=given.text("question"),
        answer=answer,
        accepted=(answer, *given.texts("also")),
        answer_type=_one_of(given.text("answer_type", "MISC"), ANSWER_TYPES, "type of answer"),
        generator="gold",
        stops=_stops(given),
        facts=_facts(given),
        path="path",
    )


def _sense(given: ItemInputs, kind: QuestionKind) -> ModelRequest:
    draft = _draft(given, kind)
    return sense_request(draft, _shown_facts(given, draft.facts))


def _rivals(given: ItemInputs) -> ModelRequest:
    """`others` are statements of the archive that the question was not made from."""
    draft = _draft(given, "chain")
    return other_answer_request(draft, _shown_facts(given, draft.facts), given.texts("others"))


def _evidence(given: ItemInputs) -> ModelRequest:
    passages = [ChunkText(one.text("text"), _head(one)) for one in given.entries("passages")]
    return evidence_request(_draft(given, "chain"), passages)


def _head(one: ItemInputs) -> ArticleHead:
    return ArticleHead(one.text("title", ""), one.text("source", ""), one.text("date", ""))


def _atoms(given: ItemInputs) -> ModelRequest:
    return atoms_request(_passage("chunk", given.inner("passage")), given.number("most", 5))


def _passage(name: str, one: ItemInputs) -> SourcePassage:
    return SourcePassage(name, one.text("text"), name, _head(one), "", (), ())


def _hops(given: ItemInputs) -> tuple[list[Hop], dict[str, SourcePassage]]:
    """Steps are `{question, answer, passage}`; a later one may add the whole question so far as `whole`."""
    hops: list[Hop] = []
    passages: dict[str, SourcePassage] = {}
    topology = _topology(given)
    for number, one in enumerate(given.entries("steps"), start=1):
        chunk = f"chunk {number}"
        if one.has("passage"):
            passages[chunk] = _passage(chunk, one.inner("passage"))
        answer = one.text("answer")
        atom = Atom(
            f"atom {number}", one.text("question"), answer, (answer,), "MISC", chunk, chunk,
            one.text("sentence", ""), (),
        )  # fmt: skip
        whole = given.text("question", "") if number == len(given.entries("steps")) else ""
        text = one.text("whole", "") or whole or one.text("question")
        final = one.text("whole_answer", "") or (given.text("answer", "") if whole else "") or answer
        hops.append(Hop(number, atom, topology if number > 1 else None, text, final, (final,)))
    return hops, passages


def _topology(given: ItemInputs) -> Topology:
    return "comparison" if given.text("topology", "inference") == "comparison" else "inference"


def _join(given: ItemInputs, topology: Topology) -> ModelRequest:
    hops, passages = _hops(given)
    base = Composed(tuple(hops[:-1]), "gold")
    return join_request(Candidate(base, hops[-1].atom, topology), passages)


def _audit(given: ItemInputs, topology: Topology) -> ModelRequest:
    hops, passages = _hops(ItemInputs({**given.values, "topology": topology}))
    return audit_request(Composed(tuple(hops), "gold"), passages)


def _refine(given: ItemInputs, check: str) -> ModelRequest:
    hops, _ = _hops(given)
    failed = Check(check or given.text("filter"), passed=False, reason=given.text("fault", ""))
    request = mend_request(Composed(tuple(hops), "gold", (failed,)))
    if request is None:
        raise InputError(f"no other words are asked for after the fault {failed.filter!r}.")
    return request


def _shorten(given: ItemInputs) -> ModelRequest:
    step: JsonValue = {"question": given.text("question"), "answer": given.text("answer")}
    fault: dict[str, JsonValue] = {"steps": [step, step], "fault": "its evidence gives another answer"}
    return _refine(ItemInputs({**given.values, **fault}), "model: solvable")


def _forms(given: ItemInputs) -> ModelRequest:
    step = {"question": given.text("question"), "answer": given.text("answer")}
    return forms_request(Composed(tuple(_hops(ItemInputs({"steps": [step]}))[0]), "gold"))


MAKING: Mapping[str, Builder] = {
    "write-claims": _claims,
    "check-claims": _claim_checks,
    "find-triples": _triples,
    "match-entities": _links,
    "write-question": _question,
    "reword-question": _reword_request,
    "check-question-alone": lambda given: alone_request(_draft(given, "chain")),
    "check-question-chain": lambda given: _sense(given, "chain"),
    "check-question-rivals": _rivals,
    "check-question-bridge": lambda given: _sense(given, "bridge entity"),
    "check-question-comparison": lambda given: _sense(given, "comparison"),
    "check-question-null": lambda given: _sense(given, "null"),
    "answer-closed-book": lambda given: closed_book_request(_draft(given, "chain")),
    "compare-from-memory": lambda given: closed_book_request(_draft(given, "parallel")),
    "answer-from-evidence": _evidence,
    "compare-answers": lambda given: same_answer_request(_draft(given, "chain"), given.text("given")),
    "write-atomic-questions": _atoms,
    "join-sequential": lambda given: _join(given, "inference"),
    "join-parallel": lambda given: _join(given, "comparison"),
    "check-sequential": lambda given: _audit(given, "inference"),
    "check-parallel": lambda given: _audit(given, "comparison"),
    "mend-question": lambda given: _refine(given, ""),
    "shorten-answer": _shorten,
    "list-answer-forms": _forms,
}
"""By the name of the prompt: how its request is made of what a gold item gives."""
