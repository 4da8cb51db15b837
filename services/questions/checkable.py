"""Would somebody who reads a fact alone accept it as whole and checkable? A measured confidence, and a gate.

Rules read most facts of news rightly, and word many that nobody should be asked about: a name cut short
("Eastern District"), a verb without what completes it, words left out between a verb and its object. A
logistic regression over what can be seen of a fact and its statement gives the share of a reader's "yes" that
facts like it had; `python -m benchmarks.checkable_facts` fits it and prints how well it tells.
"""

import json
import math
import re
from calendar import month_name
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from kg.model import EntityType
from kg.paths.protocol import Without
from kg.paths.quality import read_publishers
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from kg.text.words import whole_places
from services.questions.attachment import acts_on_another
from services.questions.draft import Draft, Fact, Stop
from services.questions.filters.name_use import of_dictionary_words
from services.questions.filters.protocol import PASS, Verdict, fail
from services.questions.lasting import of_two_times
from services.questions.misreadings import misread, misread_in_chain
from services.questions.namesakes import (
    Lands,
    Namesakes,
    leads_to_a_namesake,
    no_whole_name,
    read_lands,
    read_namesakes,
    two_of_a_name,
)
from services.questions.never_asked import never_of_people, unaskable
from services.questions.roles import is_no_affiliation, is_no_citizenship
from services.questions.singling_out import there_and_back, told_at_once, unspecific
from services.questions.soundness import is_in_a_chain, unsound_fact
from services.questions.wording.doubts import scene
from services.questions.wording.head_nouns import NEWS_OUTLETS
from services.questions.wording.predicates import PREPOSITIONS, Predicate, parse

WEIGHTS = Path(__file__).with_suffix(".json")
LEAST_CONFIDENCE = 0.7
"""From here on rules ask about a fact."""

LONG_STATEMENT = 35
"""Words from which on a sentence is long: the parser errs more often there."""
MOST_SKIPPED = 8
MOST_PREDICATE_WORDS = 3


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEFT_OUT = _words("a an the his her its their this that these own former new late then")
"""Words that a triple may leave out without saying something else."""
_LINKS_CLAUSES = _words("who which that when while after before as is was were are has had have")
_IN_CIRCUMSTANCES = _words(
    "city town village state province county island capital northern southern eastern western central"
)
_PUNCTUATION = frozenset(',;:()"\u201c\u201d')
_KIN = "son|daughter|wife|husband|widow|widower|brother|sister|father|mother"
_SETTLED = re.compile(rf"is (?:citizen of|from|located in|part of|(?:{_KIN}) of)")
"""Relations that rules read from a name's own surroundings, rarely wrongly."""
_TOKEN = re.compile(r"\[[\d-]+\]|[\w\u2019'.-]*\w|[^\w\s]")

_NEEDS_MORE = _words(
    """accuse advise ask blame bring call charge consider convict deem describe entitle feed give hand
    identify inform lend name offer persuade prefer present press provide put question remind request spend
    supply take tell thank urge warn"""
)
"""Verbs whose object alone is not the whole: "provided Wikinews" with what? "took Holy Orders"?"""

_COUNTED = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|many|\d{1,3}) "
    r"(?:for|of|in|from|at|with|by)$"
)
"""A number of things that nothing names: "wins five for"."""
_CUT = re.compile(r"\w-(?: |$)|[A-Z]\S* [a-z]{2}$")
"""A word that breaks off ("is best- in"), or a name that does ("chaired Hydro Aluminium og")."""
_DATED = re.compile(rf"\S (?:on|in) (?:\d|(?:{'|'.join(month_name[1:])})\b)")
"""A date behind a name that is none of it: "Beersheba on 6 September"."""
_VAGUE_END = re.compile(r"(?:many|several|some|various|numerous|few|most|other|another)\b", re.IGNORECASE)
_OF_REALMS = re.compile(
    r"\b(?:king|queen|prince|princess|duke|duchess|earl|count|countess|emperor|empress|baron|baroness|mayor|"
    r"governor|margrave|margravine|landgrave|marquis|marquess|viscount|consort|lord|lady|ruler|"
    r"sovereign)\b.* of$"
)
_PLURAL_KIN = re.compile(
    r"\b(?:grand)?(?:parents|children|sons|daughters|brothers|sisters|siblings|spouses)\b"
)
"""What one of the two is with others: "Ana is maternal grandparents of Tom"."""
_UNDONE = re.compile(
    r"\b(?:claim|threaten|plan|intend|hope|aim|want|seek|promis|pledg|vow|offer|attempt|try|tries|tried|expect|rumou?r|"
    r"believe|suppose|report|allege|suspect|(?:is|was|are|were) (?:said|thought))\w* to\b"
)
"""What is only claimed, meant or expected to be so."""
_SUPERLATIVE = re.compile(r"\b(most|least) (\w+)")
_SPELLING = re.compile(r"\b(?:spell(?:ed|s)?|spelt|pronounce[ds]?|transliterate[ds]?)\b")
_ROLE_PLAYED = re.compile(r"\b(?:played|portrayed|voiced|acted) by$")
"""What is done to a role and not to the work that it is from."""


def incomplete(fact: Fact) -> str:
    """What a fact lacks to be whole, as its statement shows; empty where nothing is seen to be missing."""
    if broken := _broken(fact):
        return broken
    found = parse(fact.predicate)
    several = _PLURAL_KIN.search(fact.predicate) or _COUNTED.search(fact.predicate)
    if several or " one of " in f" {fact.predicate} ":
        return f'"{fact.predicate}" holds of several'
    if found.voice == "copula":
        return ""
    bare = not found.complement and not found.preposition
    if found.voice == "active" and bare and found.lemma in _NEEDS_MORE:
        return f'"{fact.predicate}" does not tell what'
    seen = _skipped(fact, found) or []
    if any(word.lower() in PREPOSITIONS for word in seen) and not _are_circumstances(seen):
        return f'"{fact.predicate}" leaves out "{" ".join(seen)}"'
    return ""


def _broken(fact: Fact) -> str:
    """What of a fact's words is no whole name or relation, whatever its statement says."""
    if vague := next(filter(_VAGUE_END.match, (fact.subject, fact.object)), ""):
        return f'"{vague}" names nothing in particular'
    if dated := next(filter(_DATED.search, (fact.subject, fact.object)), ""):
        return f'"{dated}" has a date beside a name'
    cut = _CUT.search(fact.predicate)
    return f'"{fact.predicate}" breaks off' if cut and cut[0].split()[-1] not in PREPOSITIONS else ""


def _are_circumstances(words: Sequence[str]) -> bool:
    """Whether words may be a place or a date that goes before another: "at Ely, near the city of"."""
    offices = any(word == "of" and before.istitle() for before, word in pairwise(words))
    plain = (not word.islower() or word in PREPOSITIONS or word in _IN_CIRCUMSTANCES for word in words)
    return not offices and all(plain)


def features(fact: Fact, subject_type: EntityType, object_type: EntityType) -> dict[str, float]:
    """What can be seen of a fact and its statement, each from 0 to 1; `confidence` weighs these."""
    statement = fact.statement or fact.sentence
    found = parse(fact.predicate)
    verbal = found.voice != "copula"
    skipped = _skipped(fact, found) if verbal else []
    seen = skipped or []
    date = object_type == "DATE"
    over = max(0, len(fact.predicate.split()) - MOST_PREDICATE_WORDS)
    return {
        "describes": scene(fact.predicate) == "",
        "settled": bool(_SETTLED.match(fact.predicate)),
        "not as written": skipped is None,
        "words skipped": min(len(seen), MOST_SKIPPED) / MOST_SKIPPED,
        "punctuation skipped": any(word in _PUNCTUATION for word in seen),
        "clause skipped": any(word.lower() in _LINKS_CLAUSES for word in seen),
        "name skipped": any(word[:1].isupper() for word in seen),
        "subject cut": _is_cut(fact.subject, statement),
        "subject common": " " not in fact.subject and of_dictionary_words(fact.subject),
        "object common": not date and " " not in fact.object and of_dictionary_words(fact.object),
        "person": subject_type == "PERSON",
        "office of no person": found.is_role and subject_type != "PERSON",
        "no office": found.is_role and scene(fact.predicate) != "",
        "long predicate": over / MOST_PREDICATE_WORDS,
        "long statement": len(_TOKEN.findall(statement)) > LONG_STATEMENT,
        "bare verb": found.voice == "active" and not found.complement and not found.preposition,
        "people": "NORP" in {subject_type, object_type},
        "odd subject": subject_type in {"MISC", "CONCEPT", "LAW", "EVENT"},
        "odd object": object_type in {"MISC", "CONCEPT", "LAW", "EVENT"},
        "one word subject": " " not in fact.subject,
        "one word object": not date and " " not in fact.object,
        "opens": statement.startswith(fact.subject),
        "date": date,
    }


def _skipped(fact: Fact, found: Predicate) -> list[str] | None:
    """The words that stand between those of the predicate and the object; None where these don't follow."""
    # "Tarn, Ely County, Ohio" says it whole: what its sentence says is "located" may be another thing.
    statement = fact.statement or fact.sentence
    if found.key == "be located in" and is_in_a_chain(fact.subject, fact.object, statement):
        return [] if "located" in statement else None
    tokens = _TOKEN.findall(statement)
    low = [token.lower() for token in tokens]
    parts = (found.verb, *found.complement.split(), found.preposition, *_TOKEN.findall(fact.object)[:1])
    verb, *wanted = (word.lower() for word in parts if word)
    best: list[str] | None = None
    for start in (at for at, token in enumerate(low) if token == verb):
        at, seen = start, list[str]()
        for word in wanted:
            following = next((place for place in range(at + 1, len(low)) if low[place] == word), None)
            if following is None:
                break
            seen += tokens[at + 1 : following]
            at = following
        else:
            left = [one for one in seen if one.lower() not in _LEFT_OUT and not one.startswith("[")]
            best = left if best is None or len(left) < len(best) else best
    return best


def _is_cut(name: str, statement: str) -> bool:
    """Whether the statement has the name only inside a longer one: "Eastern District of Texas"."""
    cut = [
        _begins_before(statement[:start], name) or _ends_behind(statement[end:])
        for start, end in whole_places(name, statement)
    ]
    return bool(cut) and all(cut)


_NAME_BEFORE = re.compile(r"[A-Z][\w.\u2019'-]* $")
_BEGINS_SENTENCE = re.compile(r"(?:^|[.?!:] |[\"\u201c])[A-Z][\w\u2019'-]* $")


def _begins_before(text: str, name: str) -> bool:
    if " " in name and re.search(r"[A-Z]\w+ (?:and|&) $", text):
        return True
    return bool(_NAME_BEFORE.search(text)) and not _BEGINS_SENTENCE.search(text)


def _ends_behind(text: str) -> bool:
    return bool(re.match(r" (?:of |for |of the )?[A-Z]\w|[-/]\w", text))


@cache
def _weights() -> tuple[float, Mapping[str, float]]:
    told = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return told["intercept"], told["weights"]


@dataclass(frozen=True, slots=True)
class GateMeasure:
    """The shares of facts asked about that readers accept, and of those accepted that are asked about."""

    least: float
    precision: float
    recall: float


def measured_gate() -> tuple[int, list[GateMeasure]]:
    """How many facts were labelled, and the gate over them at some thresholds, by cross-validation.

    The labels are in docs/evaluation/facts; `python -m benchmarks.checkable_facts --write` renews both.
    """
    told = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return told["labelled"], [GateMeasure(float(least), *both) for least, both in told["measured"].items()]


def confidence(fact: Fact, subject_type: EntityType, object_type: EntityType) -> float:
    """The share of facts like this one that a reader would accept, from 0 to 1."""
    intercept, weights = _weights()
    seen = features(fact, subject_type, object_type)
    return 1 / (1 + math.exp(-intercept - sum(weights[name] * value for name, value in seen.items())))


def read_unfit_edges(
    graph: Graph, corpus: str, least: float = LEAST_CONFIDENCE, *, by_model: bool = False
) -> Without:
    """The edges of paths over which rules ask nothing, so that no path need be drawn over them.

    What may only be read otherwise is left to a model where one words the questions (`by_model`).
    """
    published = read_outlets(graph, corpus)
    forwards, backwards = set[str](), set[str]()
    for row in graph.stream(query("facts/list_on_paths"), corpus=corpus):
        names = {normal_form(row["from_name"] or ""), normal_form(row["to_name"] or "")}
        fact = Fact(
            0, row["claim"], row["id"], row["subject"], row["predicate"] or "", row["object"], "",
            row["sentence"] or "", statement=row["statement"] or "",
        )  # fmt: skip
        ends = row["from_type"], row["to_type"]
        never = (
            names & published
            or doubt_about(fact, *ends, least)
            or (not by_model and misread_in_chain(fact, *ends))
        )
        if never or unspecific(fact, *ends, asked=False):
            forwards.add(row["id"])
        if never or unspecific(replace(fact, reversed=True), *ends, asked=False, dated=True):
            backwards.add(row["id"])
    return Without(forwards, backwards)


def read_outlets(graph: Graph, corpus: str) -> frozenset[str]:
    """The normal forms of the names of those who publish, the articles of a corpus or at all."""
    return read_publishers(graph, corpus) | frozenset(map(normal_form, NEWS_OUTLETS))


def doubt_about(fact: Fact, subject_type: EntityType, object_type: EntityType, least: float) -> str:
    """Why rules ask nothing about a fact, empty if they do; `least` is the confidence that it needs."""
    if refused := refusal(fact, subject_type, object_type):
        return refused
    if (sure := confidence(fact, subject_type, object_type)) < least:
        told = " | ".join((fact.subject, fact.predicate, fact.object))
        return f'"{told}" may be no whole fact: confidence {sure:.2f}'
    return ""


def refusal(fact: Fact, subject_type: EntityType, object_type: EntityType) -> str:
    """Why rules ask nothing about a fact, however sure it is; empty if they may."""
    of_people = "PERSON" in {subject_type, object_type}
    reason = unaskable(fact.predicate, fact.statement or fact.sentence) if of_people else ""
    reason = reason or _misread(fact, subject_type, object_type)
    return reason or incomplete(fact) or unsound_fact(fact, subject_type, object_type)


def _misread(fact: Fact, subject_type: EntityType, object_type: EntityType) -> str:
    """What shows that a triple says something else than its statement; empty where nothing does."""
    predicate, told = f'"{fact.predicate}"', fact.predicate.split()
    if object_type == "PERSON" and _OF_REALMS.search(fact.predicate):
        return f"{predicate} is said of a place, and {fact.object} is a person"
    if _UNDONE.search(fact.predicate):
        return f"{predicate} tells what is only claimed, meant or expected"
    for most in _SUPERLATIVE.finditer(fact.statement or fact.sentence):
        if most[2] in told and most[1] not in told:
            return f'{predicate} leaves out "{most[1]}"'
    if _SPELLING.search(fact.predicate):
        return f"{predicate} tells the form of a name"
    if subject_type == "WORK" and object_type == "PERSON" and _ROLE_PLAYED.search(fact.predicate):
        return f"{predicate} is said of a role, and {fact.subject} is a work"
    return ""


@dataclass(slots=True)
class CheckableFacts:
    """Questions in the words of rules rest on facts that may be asked about; those of chains are sure enough.

    `least` is the confidence that each fact of a chain needs. No chain goes through who publishes articles:
    whom a newspaper talked to is no news; none goes to a namesake. What a model words, a model judges.
    """

    graph: Graph
    corpus: str
    least: float = LEAST_CONFIDENCE
    name: str = "checkable facts"
    _publishers: Collection[str] | None = field(default=None, init=False, repr=False)
    _namesakes: Namesakes = field(default=Namesakes(), init=False, repr=False)

    def check(self, drafts: Sequence[Draft]) -> list[Verdict]:
        """One verdict a draft, in order."""
        if self._publishers is None:
            self._publishers = read_outlets(self.graph, self.corpus)
            self._namesakes = read_namesakes(self.graph, self.corpus)
        chains = [draft for draft in drafts if draft.kind == "chain" and not draft.by_model]
        lands = read_lands(self.graph, chains)
        return [self._verdict(draft, lands) for draft in drafts]

    def _verdict(self, draft: Draft, lands: Lands) -> Verdict:
        if draft.by_model:
            return PASS
        reason = never_of_people(draft) or (
            self._of_chain(draft, lands) if draft.kind == "chain" else self._of_kind(draft)
        )
        return fail(reason) if reason else PASS

    def _of_chain(self, draft: Draft, lands: Lands) -> str:
        published = next((stop.name for stop in draft.stops if self._publishes(stop)), "")
        if published:
            return f'it goes through "{published}", which publishes'
        if several := leads_to_a_namesake(draft, self._namesakes, lands):
            return several
        if again := there_and_back(draft.facts):
            return f'"{again}" leads there and back: where it came from would be right as well'
        # The one fact of a chain's first hop tells both, of course.
        joined = len(draft.facts) > 1
        if joined and (told := told_at_once(draft.stops[0].names, draft.stops[-1].names, draft.facts)):
            return told
        last = len(draft.facts)
        steps = zip(draft.facts, draft.stops[:-1], draft.stops[1:], strict=True)
        for at, (fact, here, there) in enumerate(steps, start=1):
            subject, object_ = (there, here) if fact.reversed else (here, there)
            ends = subject.type, object_.type
            reason = doubt_about(fact, *ends, self.least) or misread_in_chain(fact, *ends)
            year = _says_year(draft, at)
            reason = reason or unspecific(fact, *ends, asked=at == last, begins=at == 1, dated=year)
            if reason:
                return reason
        return of_two_times(draft.facts)

    def _of_kind(self, draft: Draft) -> str:
        """Why a question of another kind rests on what its sentences may not say, or on two of one name."""
        several = (two_of_a_name(stop, draft.facts, self._namesakes.mixed) for stop in draft.stops)
        if wrong := next(filter(None, several), "") or no_whole_name(draft):
            return wrong
        types = {normal_form(name): stop.type for stop in draft.stops for name in stop.names}
        # A common topic is told by what articles name, not by what they say of it.
        strict = draft.kind != "bridge topic"
        doubts = (_doubt_of_kind(fact, types, strict) for fact in draft.facts)
        return next(filter(None, doubts), "")

    def _publishes(self, stop: Stop) -> bool:
        return any(normal_form(name) in (self._publishers or ()) for name in stop.names)


def _doubt_of_kind(fact: Fact, types: Mapping[str, EntityType], strict: bool) -> str:
    """Why a fact beside chains may say something else than its sentence, empty where nothing shows it."""
    subject, object_ = (types.get(normal_form(end), "MISC") for end in (fact.subject, fact.object))
    reason = misread(fact, subject, object_) or (unsound_fact(fact, subject, object_) if strict else "")
    if reason:
        return reason
    if is_no_citizenship(fact, subject):
        return f"{fact.subject} may be no citizen of anything"
    if is_no_affiliation(fact):
        return f"{fact.object} may be no organisation"
    other = acts_on_another(fact)
    return f'"{fact.predicate}" may be said of others than {other}' if other else ""


def _says_year(draft: Draft, at: int) -> bool:
    """Whether the wording tells the year of the work at a stop: no date beside it may be the answer."""
    return all(stop.type != "DATE" for stop in draft.stops[max(0, at - 1) : at + 2])
