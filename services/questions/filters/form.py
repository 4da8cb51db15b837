"""Is it one whole question? What its text and its predicates show without looking into the graph.

Is it one question whose facts belong together, or several that an "and" holds together?
"""

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

from kg.resolve.normal_form import normal_form
from services.questions.draft import Draft, Fact, Stop
from services.questions.filters.protocol import PASS, Rule, Verdict, fail
from services.questions.predicate_key import predicate_key
from services.questions.wording import verbs
from services.questions.wording.chain import GENERATOR
from services.questions.wording.doubts import doubt, scene, stepwise_doubt
from services.questions.wording.nouns import sorts_of
from services.questions.wording.predicates import PREPOSITIONS, names_somebody, parse, wordable
from services.questions.wording.stepwise import STEPWISE

_ASKS_AGAIN = re.compile(
    r"(?:\band|;|\bor)\s+(?:in\s+|on\s+|at\s+|to\s+|by\s+|for\s+|from\s+)?"
    r"(?:what|when|where|why|how|which\s+(?!is\b|was\b|are\b|were\b|has\b|had\b|have\b)|whom|"
    r"who\s+(?:is|was|are|were)\s+(?:the|its|their|his|her)\b|"
    r"(?:did|does|do)\s+(?:the|its|their|he|she|it|they|[A-Z]))",
)
"""A second question behind "and": "and when did", "and who is its"; "and is the one that" goes on."""

_ASKS_WHO = re.compile(r"\band\s+who\b")
_RELATIVE = re.compile(r"(?<!^)\b(?:who|whom|whose|that)\b")
"""What "and who" may go on from: "the striker who left and who joined"."""

_IN_HALVES = frozenset({"comparison", "temporal"})
"""Kinds that may put their two sides into two halves of a sentence."""


def _not_concatenated(draft: Draft) -> Verdict:
    in_halves = draft.by_model or draft.kind in _IN_HALVES
    if not in_halves and (second := _second_question(draft.text)):
        return fail(f'"{second}" begins a second question')
    match draft.kind:
        case "chain":
            return _chained(draft)
        case "comparison":
            return _comparable(draft)
        case "bridge entity":
            return PASS if _sharing(draft.facts, draft.stops) else fail("no two of its facts share an entity")
        case _:
            return PASS


def _second_question(text: str) -> str:
    """The words that begin another question, empty if there is none."""
    if found := _ASKS_AGAIN.search(text):
        return found[0]
    who = _ASKS_WHO.search(text)
    return who[0] if who and not _RELATIVE.search(text[: who.start()]) else ""


def _chained(draft: Draft) -> Verdict:
    if len(draft.stops) != len(draft.facts) + 1:
        return fail(f"{len(draft.facts)} facts can't lead through {len(draft.stops)} entities")
    if len({stop.id for stop in draft.stops}) < len(draft.stops):
        return fail("its facts lead back to an entity that they have been at")
    for before, fact in pairwise(draft.facts):
        if fact.triple == before.triple:
            return fail(f"hops {before.index} and {fact.index} are the same fact")
    if again := _named_again(draft):
        return fail(f'its facts lead back to "{again}" under another name')
    return PASS


def _named_again(draft: Draft) -> str:
    """A name that two of its entities go by, in the graph or in the facts; empty if there is none."""
    names = [{normal_form(name): name for name in stop.names} for stop in draft.stops]
    for at, fact in enumerate(draft.facts):
        ends = (fact.object, fact.subject) if fact.reversed else (fact.subject, fact.object)
        for stop, name in zip(names[at : at + 2], ends, strict=True):
            stop.setdefault(normal_form(name), name)
    shared = ((one, form) for one, other in combinations(names, 2) for form in one.keys() & other.keys())
    return min((one[form] for one, form in shared), default="")


def _comparable(draft: Draft) -> Verdict:
    """Both sides say the same of two things, or two things of one."""
    if len(draft.facts) < 2 or _sharing(draft.facts, draft.stops):
        return PASS
    keys = {predicate_key(fact.predicate) for fact in draft.facts}
    return PASS if len(keys) < len(draft.facts) else fail("its facts share neither a predicate nor an entity")


def _sharing(facts: Sequence[Fact], stops: Sequence[Stop]) -> bool:
    """Whether two facts speak of one entity, under any of the names that are known for it."""
    entity_of = {normal_form(name): stop.id for stop in stops for name in stop.names}
    ends = [
        {entity_of.get(form, form) for form in (normal_form(fact.subject), normal_form(fact.object))}
        for fact in facts
    ]
    return any(one & other for one, other in combinations(ends, 2))


NOT_CONCATENATED = Rule("not concatenated", _not_concatenated)
"""No second question behind an "and" in the words of rules: in a model's, "the town where A was born and
where B died" is one question, which a judge tells from two. The facts of a chain join at its entities,
those of a comparison share a predicate or an entity, those of a bridge entity an entity. Not looked at: the
facts of temporal questions, since any two events can be ordered, of null questions and of bridge topics."""


FEWEST_WORDS = 4
MOST_WORDS = 90
"""Five hops with whole predicates take some sixty words."""
MOST_PREDICATE_WORDS = 10

_LEFTOVER = re.compile(
    r"\{|\}|<[a-z_ ]+>|\[[A-Z_ ]+\]|_{2,}|#\d|\b(?:None|null|undefined|NaN)\b|\b(?:lorem ipsum|TBD)\b"
)
"""What a template or a program leaves where a value is missing."""
_OPENS_CLAUSE = re.compile(r"\b(?:that|where|wh(?:ich|om)) the (?=[a-z])")
"""A clause about what another clause describes: its verb comes only after that one's."""
_ASKS_PASSIVE = re.compile(r"(?:\w+ ){1,4}?(?:is|was|has|are|were) the (?=[a-z])")
_ASKS_WHEN = re.compile(r"(?:When|In which (?:year|month)) (?:is|was|has|are|were) (?!the \w+ of )")
_CALLED_A_THING = re.compile(r"\bthe (?:thing|one) (?=[a-z])")
LONG_CHAIN = 3
"""From so many hops on the subject of a question is too long for a participle that stands behind it."""
_PAIRS = (("(", ")"), ("[", "]"), ("\u201c", "\u201d"))


def _well_formed(draft: Draft) -> Verdict:
    reason = _of_sentence(draft.text) or _of_marks(draft.text)
    if not draft.by_model:
        reason = (
            reason
            or _of_predicates(draft)
            or _of_last_word(draft)
            or _of_open_clauses(draft)
            or _of_wording(draft)
            or _of_nobody(draft.text)
        )
    return fail(reason) if reason else PASS


def _of_nobody(text: str) -> str:
    """Whether a step introduces what no noun is known for: "the envoy of an one"."""
    return "no noun tells what it goes through" if re.search(r"\ban(?:other)? one\b", text) else ""


def _of_sentence(text: str) -> str:
    if text.count("?") != 1 or not text.rstrip("\"'\u201d\u2019) ").endswith("?"):
        return "it does not end in its only question mark"
    words = len(text.split())
    if words < FEWEST_WORDS:
        return f"it has {words} words, and needs {FEWEST_WORDS}"
    if words > MOST_WORDS:
        return f"it has {words} words, more than {MOST_WORDS}"
    if text[:1].islower():
        return "it does not begin with a capital"
    return ""


def _of_marks(text: str) -> str:
    if found := _LEFTOVER.search(text):
        return f'"{found[0]}" is left over from a template'
    if text != " ".join(text.split()):
        return "it has blanks too many"
    if text.count('"') % 2 or any(text.count(left) != text.count(right) for left, right in _PAIRS):
        return "a quote or a bracket is not closed"
    return ""


def _of_predicates(draft: Draft) -> str:
    for fact in draft.facts:
        words = fact.predicate.split()
        if not words:
            return f"the predicate of hop {fact.index} is empty"
        if len(words) > MOST_PREDICATE_WORDS:
            return f'"{fact.predicate[:60]}" is no predicate but half a sentence'
        if names_somebody(_without_owner(fact)) and not _may_be_of_date(draft, fact):
            return f'"{fact.predicate}" has a name inside'
        if not wordable(fact.predicate):
            return f'"{fact.predicate}" can\'t be put into words'
    return ""


def _without_owner(fact: Fact) -> str:
    """ "Awarded Bellamere Foundation's prize to" of the foundation itself: a pronoun takes its place."""
    if fact.subject not in fact.predicate:
        return fact.predicate
    return re.sub(rf"(?<!\w){re.escape(fact.subject)}['\u2019]s ", "", fact.predicate)


def _may_be_of_date(draft: Draft, fact: Fact) -> bool:
    """Whether a fact's object is a date; of what no stop is known, it may be one."""
    types = {stop.type for stop in draft.stops if fact.object in stop.names}
    return "DATE" in types or not types


def _of_open_clauses(draft: Draft) -> str:
    """What keeps a reader waiting: "the union that the country that Ann left voted to leave"."""
    found = _OPENS_CLAUSE.search(draft.text) if draft.kind in {"chain", "null"} else None
    return f'the clause behind "{found[0].strip()}" waits for its verb while another begins' if found else ""


def _of_wording(draft: Draft) -> str:
    """What the rules' own wording can't say well."""
    if draft.generator == STEPWISE:
        return stepwise_doubt(draft.stops, draft.facts)
    if draft.generator != GENERATOR:
        return ""
    if draft.kind == "bridge entity":
        return next(filter(None, (scene(fact.predicate) for fact in draft.facts)), "")
    if draft.kind == "null" and (odd := _oddly_asked(draft.text)):
        return odd
    if draft.kind not in {"chain", "null"} or not draft.facts:
        return ""
    return doubt(draft.stops, draft.facts, draft.text)


_DESCRIBED = re.compile(r"\bthe ((?:[a-z-]+ )?[a-z-]+) (?:that|who|whose|where|(?:in|to) wh\w+)\b")
_OF_PEOPLE = re.compile(
    r"\b(?:death|birth|birthplace|arrest|(?:step)?(?:father|mother|son|daughter)|brother|sister|wife|husband|married|"
    r"buried)\b|\b(?:born|die|killed)\?$"
)
_MEMBERS = re.compile(r"\b(?:members|affiliates) included?\b")
_WHAT_OF_PEOPLE = re.compile(
    r"^What (?:sang|sings|formed|(?:co-)?founded|wrote|directed|starred|stars|played)\b|\bstarred by\b|"
    r"\bperson whose (?:former )?(?:mayor|governor|premier|capital|headquarters|(?:student )?newspaper)\b"
)


def _oddly_asked(text: str) -> str:
    """What of a question for a missing fact nobody would ask: "When was the death of the city that ...?"."""
    if vague := _CALLED_A_THING.search(text):
        return f'"{vague[0].strip()}" tells nothing'
    described = _DESCRIBED.search(text)
    sorts = sorts_of(described[1]) if described else frozenset({"person"})
    opening = f"{text[: described.start()]} {text.rsplit(maxsplit=1)[-1]}" if described else text
    odd = _WHAT_OF_PEOPLE.search(text)
    if odd is None and "person" not in sorts:
        odd = _OF_PEOPLE.search(opening)
    if odd is None and sorts & {"place", "work"}:
        odd = _MEMBERS.search(opening)
    return f'"{odd[0]}" is asked of what has none' if odd else ""


def _of_last_word(draft: Draft) -> str:
    """What is wrong with the end of "When was the person that the club signed cleared?"."""
    words = draft.text.rstrip("?").split()
    if draft.generator == STEPWISE:
        return ""  # its last sentence is short
    if draft.kind != "chain" or not _ASKS_PASSIVE.match(draft.text) or not verbs.is_participle(words[-1]):
        return ""
    known = draft.generator == GENERATOR or not _ASKS_WHEN.match(draft.text)
    if known and words[-1] != parse(draft.facts[-1].predicate).verb:
        return ""
    before = words[-2]
    runs_on = before in PREPOSITIONS or (before.islower() and verbs.is_participle(before))
    if not runs_on and len(draft.facts) < LONG_CHAIN:
        return ""
    return f'"{words[-1]}" at its end is read with "{before}" before it'


WELL_FORMED = Rule("well formed", _well_formed)
"""One question mark at the end, a sensible length, marks in pairs, nothing left of a template. Of questions
that rules worded also: predicates that can be put into words, and no verb so far behind its subject that it
is taken for another one's."""
