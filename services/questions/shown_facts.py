"""What a model is shown of the facts of a question: what they state, where, and why their names join.

Whoever writes a question and whoever judges it see the same: each fact as a triple, as the statement that was
verified when it was extracted, and as the sentence of the article between its neighbours. A pronoun that the
statement resolved, or a name that stands for another one, is then no misreading: what joins the facts is said
beside them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg.llm.prompts import fenced, on_one_line
from kg.queries import query
from kg.resolve.model_links import plain_reason
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from kg.text.sentences import sentence_spans
from services.questions.draft import Fact, Stop

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
    """In one fact `said` stands for the entity `meant`, though it does not everywhere; `why` in words."""

    said: str
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
        return fenced("\n".join(line for fact in facts for line in self._fact(fact, titles)), "facts")

    def names(self, stops: Sequence[Stop], facts: Sequence[Fact], path: str = "") -> str:
        """Which names are one, and why, inside a fence.

        Aliases that the facts use come first, then others, a few for each entity.
        """
        said = " ".join(f"{fact.subject}\n{fact.object}\n{self._text(fact)}" for fact in facts)
        told = [line for stop in stops if (line := _also_called(stop, said))]
        for fact in facts:
            told += [_link_line(fact, link) for link in self.links.get((path, fact.index), ())]
        return fenced("\n".join(told) or NOTHING_TO_SAY, "names")

    def _fact(self, fact: Fact, titles: bool) -> list[str]:
        triple = " | ".join(map(on_one_line, (fact.subject, fact.predicate, fact.object)))
        known = self.statements.get(fact.claim)
        if known is None:
            return [f"Fact {fact.index}: {triple}", f"  article: {on_one_line(fact.sentence)}"]
        around = " ".join(map(on_one_line, filter(None, (known.before, known.sentence, known.after))))
        place = known.head.whole if titles else known.head.origin
        origin = f" ({place})" if place else ""
        return [
            f"Fact {fact.index}: {triple}",
            f"  statement: {on_one_line(known.text)}",
            f"  article{origin}: {around}",
        ]

    def _text(self, fact: Fact) -> str:
        known = self.statements.get(fact.claim)
        return known.text if known else fact.sentence


def read_shown_facts(graph: Graph, facts: Iterable[Fact], paths: Iterable[str] = ()) -> ShownFacts:
    """What is to be shown of some facts; `paths` are those that questions follow, for the links on them."""
    claims = sorted({fact.claim for fact in facts if fact.claim})
    rows = list(graph.read_in_batches(query("questions/read_statements"), claims))
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
    for row in graph.read_in_batches(query("questions/read_name_links"), sorted(set(filter(None, paths)))):
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
    said, meant = on_one_line(link.said), on_one_line(link.meant)
    return f'In fact {fact.index} the articles use "{said}" for {meant}{because}'
