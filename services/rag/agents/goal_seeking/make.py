"""The goal-seeking agent at a place: by a model where the place has one, else by rules.

Planning and evaluating by rules, from insights alone.

The first plan follows the form of the question: reports that it names are looked for one by one, a question
that can be taken apart is followed hop by hop, any other is searched once. A later plan asks named sources
that told nothing once more, in other words; then it looks for what the assessment found missing, or for a
name that was found and not followed. Where all that was tried, the plan has no steps. The goal is reached
when there is an answer and the evidence was found to be enough; an abstention is an answer where sources
were found silent.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from services.answers import is_abstention
from services.rag.agents.goal_seeking.agent import MOST_ITERATIONS, GoalSeeking
from services.rag.agents.goal_seeking.by_model import ModelEvaluator, ModelPlanner, ModelReader
from services.rag.agents.goal_seeking.insights import Insights
from services.rag.agents.goal_seeking.patterns import Part, PatternName, fill_pattern, most_parts
from services.rag.agents.goal_seeking.plans import MOST_STEPS, Evaluator, Planner, PlanResult, SearchPlan
from services.rag.agents.goal_seeking.primitives import RETRIEVING, Verdict
from services.rag.agents.goal_seeking.reading import EvidenceReader, RulesReader, TaskResult, is_silent
from services.rag.agents.goal_seeking.tools import RetrievingTool, reading_tools
from services.rag.agents.protocol import AgentContext, Tool, same_search
from services.rag.metadata import MetadataIndex, recognise
from services.rag.protocol import Filters
from services.rag.question_words import question_form, words
from services.rag.reader import RulesGenerator
from services.rag.retrieval.metadata import read_metadata


@dataclass(frozen=True, slots=True)
class RulesPlanner:
    """Plans by rules; `metadata` has the sources, categories and days that questions can name."""

    metadata: MetadataIndex

    def plan(self, known: Sequence[Insights]) -> list[PlanResult]:
        """A plan for each question, in order."""
        return [PlanResult(self._next(one) if one.queries else self._first(one)) for one in known]

    def _first(self, known: Insights) -> SearchPlan:
        question = known.question
        reports = recognise(question, self.metadata).reports
        if not reports:
            ((parts, _),) = RulesGenerator().decompose([question])
            if any("#1" in part for part in parts):
                return fill_pattern(
                    "two-hop inference", question, (Part(parts[0]),), "it has to be taken apart"
                )
            if len(parts) > 1:
                return _by_parts("source comparison", question, map(Part, parts), "its parts stand alone")
            return _by_parts("single retrieval with check", question, (), "one search may do")
        name = _pattern(question, reports)
        return _by_parts(name, question, (Part(question, one) for one in reports), "it names reports")

    def _next(self, known: Insights) -> SearchPlan:
        """A plan for what is missing, with no steps where all of it was tried."""
        unheard = tuple(self._unheard(known))
        if unheard:
            silent = ", ".join(name for part in unheard for name in part.filters.sources)
            name: PatternName = "source comparison" if len(unheard) > 1 else "single retrieval with check"
            return _by_parts(name, known.question, unheard, f"{silent} told nothing of it yet")
        tried = {same_search("retrieve", one.query) for one in known.queries if not one.filters}
        for text, why in _fallback_queries(known):
            if same_search("retrieve", text) not in tried:
                return fill_pattern("two-hop inference", known.question, (Part(text),), why)
        return SearchPlan("", "nothing is left to try", ())

    def _unheard(self, known: Insights) -> Iterator[Part]:
        """Where named sources were asked and told nothing, but are not silent yet: other words for each."""
        for report in recognise(known.question, self.metadata).reports:
            for source in report.sources:
                asked = {same_search("retrieve", one.query) for one in known.queries if source in one.sources}
                told = any(piece.source == source for piece in known.evidence)
                if told or not asked or is_silent(source, known.queries, known.evidence):
                    continue
                others = (" ".join(words(known.question)), *known.entities)
                new = [text for text in others if same_search("retrieve", text) not in asked]
                yield from (Part(text, replace(report, sources=(source,))) for text in new[:1])


class RulesEvaluator:
    """Evaluates by rules."""

    def evaluate(self, known: Sequence[Insights]) -> list[TaskResult]:
        """A verdict for each question, in order."""
        return [TaskResult(_verdict(one)) for one in known]


def _pattern(question: str, reports: Sequence[Filters]) -> PatternName:
    if len(reports) == 1:
        return "single retrieval with check"
    form = question_form(question)
    dated = sum(bool(one.since or one.until) for one in reports) > 1
    if form.kind == "yes or no":
        return "yes or no over time" if dated else "consistency comparison"
    if dated:
        return "comparison over time"
    return "source comparison" if form.kind != "open" else "entities across sources"


def _by_parts(name: PatternName, question: str, parts: Iterable[Part], why: str) -> SearchPlan:
    """A pattern with as many parts of a question as it has room for."""
    return fill_pattern(name, question, tuple(islice(parts, most_parts(name, MOST_STEPS))), why)


def _fallback_queries(known: Insights) -> Iterator[tuple[str, str]]:
    """What could be looked for everywhere, best first, with the reason."""
    for text in known.missing:
        yield text, "it is missing"
    yield known.question, "the whole question was not looked for everywhere"
    for name in known.entities:
        if name not in known.question:
            yield f"{known.question} {name}", "a name that was found"


def _verdict(known: Insights) -> Verdict:
    if not known.answer or (is_abstention(known.answer) and not (known.sufficient and _absent(known))):
        return Verdict(False, "there is no answer yet")
    if is_abstention(known.answer):
        return Verdict(True, "sources that the question names were searched and tell nothing of it")
    if not known.sufficient:
        missing = "; ".join(known.missing)
        return Verdict(False, f"the evidence is not enough: {missing}" if missing else "it was not assessed")
    chunks = len({piece.chunk for piece in known.evidence})
    return Verdict(True, f"the evidence from {chunks} chunk{'s' if chunks != 1 else ''} answers every part")


def _absent(known: Insights) -> bool:
    """Whether something was found not to be told."""
    return bool(known.silences) or any(one.sources and not one.passages for one in known.queries)


def make_goal_seeking(place: AgentContext) -> GoalSeeking:
    """The agent, with the sources, categories and days that the corpus of the place has."""
    return goal_seeking(place, read_metadata(place.graph, place.corpus))


def goal_seeking(place: AgentContext, metadata: MetadataIndex) -> GoalSeeking:
    """The agent over a corpus with these sources, categories and days."""
    planner: Planner
    evaluator: Evaluator
    reader: EvidenceReader
    if place.model is None:
        planner, evaluator, reader = RulesPlanner(metadata), RulesEvaluator(), RulesReader(metadata)
    else:
        planner = ModelPlanner(place.model, place.cost_of, metadata)
        evaluator = ModelEvaluator(place.model, place.cost_of)
        reader = ModelReader(place.model, place.cost_of, place.generator)
    tools: dict[str, Tool] = {
        name: RetrievingTool(name, place.retriever, place.embedder, metadata) for name in RETRIEVING
    }
    tools |= reading_tools(reader, evaluator, place.generator, place.read)
    return GoalSeeking(planner, tools, place.top, place.most_iterations or MOST_ITERATIONS)
