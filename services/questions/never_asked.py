"""What must never be asked about a person, whatever the confidence in a fact (record 58).

Crime and sex, unless the sentence is an official outcome; illness and death unless it states them outright.
"""

import re
from functools import lru_cache

from services.questions.draft import Draft
from services.questions.wording.predicates import parse
from services.questions.wording.verbs import base


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CRIMES = _words(
    """abduct abuse accost arrest assassinate assault batter behead betray blackmail bludgeon bomb bribe
    burgle charge deceive defraud embezzle execute extort fondle groom harass hijack impregnate indict jail
    kidnap kill kiss lynch maim molest mug murder penetrate plagiarise plagiarize poison punch rape rob scam
    seduce shoot slap slay slaughter smuggle spy stab stalk steal strangle swindle terrorise terrorize torture
    traffic undress victimise victimize"""
)
_CRIME_NOUNS = re.compile(
    r"\b(?:abuse|abuser|accomplice|assault|assassin|bribe|bribery|cartel|corruption|crime|criminal|fraud|gang|"
    r"genocide|harassment|incest|killer|lover|mafia|massacre|mistress|molestation|murder|murderer|rape|rapist|"
    r"robbery|sex|sexual|shooter|suspect|terrorism|terrorist|theft|thief|treason|victim)s?\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(r"\b(?:convict|sentenced|found guilty|pleaded guilty|pled guilty|acquit|pardon)", re.I)
"""What a court or an authority has settled."""
_FATES = _words("die hospitalise hospitalize infect diagnose succumb drown suffer recover test")
_ILLNESS = re.compile(
    r"\b(?:cancer|disease|illness|infection|virus|syndrome|disorder|suicide|death|overdose)\b", re.I
)
_UNSURE = re.compile(
    r"\b(?:alleg|accus|suspect|suspicion|claim|rumou?r|reportedly|apparently|purported|supposed|believed|"
    r"may have|might|could have|possibl|presum|thought to|said to|fear|unconfirmed|deny\b|denie|"
    r"whether\b|if\b)",
    re.I,
)


@lru_cache(maxsize=16_384)
def unaskable(predicate: str, statement: str) -> str:
    """Why rules ask nothing about a fact with a person in it, however well it reads; empty if they may."""
    found = parse(" ".join(word for word in predicate.split() if not word.endswith("ly")))
    criminal = {found.lemma, base(found.verb)} & _CRIMES or _CRIME_NOUNS.search(predicate)
    if criminal and not _OUTCOME.search(statement):
        return f'"{predicate}" tells of crime or sex, and of no official outcome'
    if (found.lemma in _FATES or _ILLNESS.search(predicate)) and _UNSURE.search(statement):
        return f'"{predicate}" tells of illness or death, which its sentence does not state outright'
    return ""


def never_of_people(draft: Draft) -> str:
    """Why a question must never be asked of the people in it, empty where it may."""
    if not any(stop.type == "PERSON" for stop in draft.stops):
        return ""
    told = (unaskable(fact.predicate, fact.statement or fact.sentence) for fact in draft.facts)
    return next(filter(None, told), "")
