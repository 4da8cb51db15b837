"""The introspection boundary: what a primitive gave, turned into insights.

This is the only way by which anything that was retrieved or read comes to whoever plans or evaluates. Of a
retrieval only the query, its filters and the number of chunks pass; texts pass as extracted evidence alone,
and of passages that told nothing their number and their source.
"""

from dataclasses import replace

from services.evaluate.answers import is_abstention
from services.rag.agents.goal_seeking.insights import (
    MOST_ENTITIES,
    MOST_EVIDENCE,
    MOST_SILENCES,
    Insights,
    Tried,
    filters_in_words,
)
from services.rag.agents.goal_seeking.results import (
    Answer,
    Documents,
    Entities,
    Evidence,
    Observed,
    Sufficiency,
)


def update_context(known: Insights, observed: Observed) -> Insights:
    """The insights after a primitive."""
    after = known
    match observed.result:
        case Documents(chunks=chunks) if observed.retrieves:
            tried = Tried(observed.query, filters_in_words(observed.filters), len(chunks))
            after = replace(known, queries=(*known.queries, tried))
        case Evidence(pieces=pieces, silences=silences):
            evidence = tuple(dict.fromkeys((*known.evidence, *pieces)))[:MOST_EVIDENCE]
            silent = tuple(dict.fromkeys((*known.silences, *silences)))[-MOST_SILENCES:]
            after = replace(known, evidence=evidence, silences=silent)
        case Entities(names=names):
            entities = tuple(dict.fromkeys((*known.entities, *names)))[:MOST_ENTITIES]
            after = replace(known, entities=entities)
        case Sufficiency(enough=enough, missing=missing):
            after = replace(known, sufficient=enough, missing=missing)
        case Answer(text=text, confidence=confidence) if replaces(known.answer, text):
            after = replace(known, answer=text, confidence=confidence)
    return after


def replaces(old: str, new: str) -> bool:
    """Whether a new answer takes the place of an old one: an abstention takes that of no answer alone."""
    return bool(new) and (not is_abstention(new) or is_abstention(old))
