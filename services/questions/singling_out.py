"""Does a fact single out what a question asks for? A step of a chain that many things fit has many answers.

What the graph knows is not enough: of a studio's films it has the one that an article tells of. So a step
goes from an object to its subject only over relations that one thing, or one at a time, has to it ("founded",
"is governor of"), or at least such as few have, where the question goes on; and never to one of several
that the sentence lists beside each other.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise

from kg.model import EntityType
from kg.text.lexicon import states
from kg.text.words import whole_places
from services.questions.draft import Fact
from services.questions.filters.name_use import any_named
from services.questions.predicate_key import predicate_key
from services.questions.wording.chain import dated_kind
from services.questions.wording.predicates import PREPOSITIONS, ROLE_VERBS, Predicate, parse
from services.questions.wording.verbs import base


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ONE_DOES = _words(
    """acquire appoint assassinate author buy captain chair choose co-found coach command compose
    construct create defeat depose design develop devise direct discover dismiss draft edge edit
    engineer erect establish found front head host inherit initiate inspire introduce invade invent
    kill launch lead manage marry name nominate organise organize oust own paint patent pick pilot
    pioneer preside produce propose publish record rename replace sack sculpt select sequence
    sponsor stage succeed translate veto voice write"""
)
"""Verbs by whose object one subject is known: who founded the firm, wrote the book, married her."""
_ONE_IS_DONE = _words(
    """acquire annex assassinate bury co-found defeat discover establish found inherit invent kill
    marry precede replace sequence succeed"""
)
"""Passives by whose agent one subject is known: the firm that she founded, whom he was succeeded by."""
_FOR_LIFE = _words(
    """architect author birthplace capital composer creator designer developer director discoverer
    father father-in-law founder hometown husband inventor mother mother-in-law namesake narrator
    predecessor producer seat spouse stepfather stepmother successor widow widower wife writer"""
)
"""What one remains to the same thing, whatever the year."""
_FOR_A_TIME = _words(
    """boss captain ceo chair chairman chairperson chairwoman chancellor chief coach commander
    commissioner conductor curator dean drummer editor emperor empress frontman general governor
    head headquarters host king leader manufacturer mate mayor minister moderator mouthpiece
    nominee owner patriarch pilot pope premier president principal provost publisher queen rector
    ruler sheriff singer skipper speaker sultan surgeon treasurer"""
)
"""Offices that one has at a time: others had them before, and will."""
_OF_STATE = _words(
    """president king queen governor mayor minister chancellor emperor empress pope premier sultan
    ruler sheriff general commander"""
)
_NOT_THE_ONE = _words(
    """acting assistant associate board co deputy emeritus ex former founding honorary junior
    minority previous senior shadow supporting vice"""
)
_FIRST_OF_MANY = _words("eldest oldest youngest only first last sole inaugural second third fourth fifth")
_MANY = """
admire; appear in; ask; attend; be; belong to; call; collaborate with; compete in; contact; contribute
to; criticise; criticize; die in; endorse; enter; feature; follow; graduate from; have; include; join;
leave; live in; meet; move to; oppose; perform at; perform for; perform in; perform with; play; play for; play
with; play in; praise; reach; receive; receive education in; receive nomination for; refer to; reside
in; resign from; return to; run for; see; serve in; serve on; serve with; sign; speak to; speak with;
star; star in; stay at; study at; study under; support; talk to; tell; thank; train at; travel to; use;
visit; vote against; vote for; watch; win; win at; win in; work at; work for; work in; work on; work
with
"""
_MANY_DO = frozenset(" ".join(one.split()) for one in _MANY.split(";"))
"""What many do to one thing."""
_MANY_WORKS = _words(
    """act appear compose co-write direct dub feature narrate perform photograph produce publish
    record release sing star write"""
)
"""What somebody does to many works: the film that she directed is one of them."""
_OF_A_JOURNEY = _words("arrive come fly go land return travel visit")
_OF_A_CAST = frozenset({"feature", "star"})
"""What a work does to several, of whom its sentence may tell one."""
_DID_TO_A_NAME = re.compile(rf"(?:(?!(?:{'|'.join(sorted(PREPOSITIONS))})\b)[a-z]\S* )*[A-Z]")
"""A name behind a verb that no preposition parts from it: "received the Tarn Prize"."""
_MAKING = frozenset((maker, made) for maker in ("PERSON", "ORG", "MISC") for made in ("WORK", "PRODUCT"))
_PLACES = frozenset({"GPE", "LOC", "FAC", "NORP", "DATE"})
_ONE_DOES_TO_PLACES = frozenset({"found", "govern", "rule", "discover", "invade", "conquer"})
_EARLY = r"\b(?:in|of|from|since|until|till|about|around|c\.) \d{3}\b(?! [a-z])(?![,.]\d)"
_YEAR = re.compile(rf"(?<!\[)\b(?:1\d|20)\d\d\b(?!-\d)|{_EARLY}")
_AND = r",? (?:and|or|&|as well as|along with) "
_QUOTE = "[\"\u201c']?"
_NAMES_BETWEEN = r"(?:, [\"\u201c]?[A-Z][\w.'\u2019-]+(?: [A-Z][\w.'\u2019-]+)*)+"
_ONE_MORE = rf"{_AND}(?:the |his (?:[\w-]+ )?|her (?:[\w-]+ )?|a |an )?(?:[a-z]+ )?{_QUOTE}[A-Z]"
_NEXT_PLACE = re.compile(rf"(?:, the [A-Z][\w\u2019' -]*)*{_ONE_MORE}")
"""A list of places with articles: "the Tarn Sea, the Rell Sea and the Gulf"; "Ely, England" is none."""
_LISTED_BEHIND = re.compile(rf"(?: ?\([^)]*\))?(?:{_NAMES_BETWEEN})?{_ONE_MORE}")
_LISTED_BEFORE = re.compile(rf"[A-Z][\w.'\u2019\")-]*{_AND}(?:the |a |an )?(?:[a-z]+ )?{_QUOTE}$")


def unspecific(
    fact: Fact,
    subject_type: EntityType,
    object_type: EntityType,
    *,
    asked: bool = True,
    begins: bool = False,
    dated: bool = False,
) -> str:
    """Why the step that a chain takes over a fact leads to no single thing; empty where it does.

    What is `asked` for must be the only one of its kind, and a day not that of an event which the question
    names; what a chain goes on from may be told by a deed as well that few do to the same thing ("sought the
    nomination of that party"). Where a work's year will be said (`dated`), it tells the work from others of
    the same maker. Offices of the past neither begin a chain backwards nor end it so, and those of a state
    are not passed through either.
    """
    found, statement = parse(fact.predicate), fact.statement or fact.sentence
    own = f"{fact.subject}'s "
    told = f'"{fact.predicate}" {fact.object} does not single one out'
    if fact.reversed:
        few = _singles_out(fact.predicate, object_type) if asked else _few_have(fact.predicate, object_type)
        few = few or (dated and found.has_agent and bool(dated_kind(fact.subject, statement)[0]))
        strict = asked or begins or found.verb in {"is", "are"} or _is_of_state(found)
        office = found.voice == "copula" or (found.lemma in ROLE_VERBS and bool(found.complement))
        timely = few and office and strict and _is_of_a_time(found, statement)
        if not few or timely:
            return told
    elif found.voice == "active" and found.lemma in _MANY_WORKS and (subject_type, object_type) in _MAKING:
        return told
    elif asked and object_type == "DATE" and _DID_TO_A_NAME.match(found.complement.replace(own, "its ")):
        return f'"{fact.predicate}" names the event that it dates'
    elif asked and object_type != "DATE" and _tells_one_of_several(found, statement):
        return told
    wanted, kind = (fact.subject, subject_type) if fact.reversed else (fact.object, object_type)
    listed = kind not in {"DATE", "NUMBER"} and is_listed(wanted, statement, chained=kind in _PLACES)
    if listed and not (found.key == "be located in" and _is_of_two_places(fact, statement)):
        return f'"{wanted}" is one of several that its sentence lists'
    return ""


def _is_of_two_places(fact: Fact, statement: str) -> bool:
    """Whether "and" goes on to a second place with a state of its own: "Ely, Ohio and Tarn, Texas"."""
    if fact.reversed or fact.object not in states() or fact.subject in states():
        return False
    name = r"[A-Z][\w.\u2019'-]*(?: [A-Z][\w.\u2019'-]*)*"
    beside = rf"(?<!\w){re.escape(fact.subject)}, {re.escape(fact.object)},? and {name}, [A-Z]"
    return re.search(beside, statement) is not None


def _tells_one_of_several(found: Predicate, statement: str) -> bool:
    """Whether there is one more: "also created the series", a work's cast, or the stops of a journey."""
    if found.voice == "active" and found.lemma in _OF_A_CAST | _OF_A_JOURNEY:
        return True
    first = re.escape((*found.auxiliaries, found.verb)[0])
    return re.search(rf"\balso {first}\b|\b{first} also\b", statement) is not None


def there_and_back(facts: Sequence[Fact]) -> str:
    """A relation over which a chain comes to a thing and leaves it the other way round; else empty.

    "A party nominated Ada. Whom did that party nominate?" has two answers, whatever the number of the noun.
    """
    for one, other in pairwise(facts):
        if one.reversed != other.reversed and _relation(one.predicate) == _relation(other.predicate):
            return one.predicate
    return ""


def told_at_once(first: Collection[str], last: Collection[str], facts: Sequence[Fact]) -> str:
    """The sentence of a fact that names both what a chain begins with and its answer; else empty."""
    told = (fact.statement or fact.sentence for fact in facts)
    both = next((one for one in told if any_named(one, first) and any_named(one, last)), "")
    return f'"{both}" tells at once what it begins with and its answer' if both else ""


def _relation(predicate: str) -> tuple[str, str, str]:
    found = parse(predicate)
    noun = found.complement.rsplit(maxsplit=1)[-1] if found.complement else ""
    return found.lemma, noun.removesuffix("s"), found.preposition


@lru_cache(maxsize=65_536)
def _singles_out(predicate: str, object_type: EntityType) -> bool:
    """Whether one thing, or one at a time, has a relation to its object."""
    found = parse(predicate)
    if found.voice == "copula":
        return _is_the_one(found)
    if object_type in _PLACES and found.lemma not in _ONE_DOES_TO_PLACES:
        return False
    if found.voice == "passive":
        married = found.verb == "married" and found.preposition == "to"
        return married or (found.has_agent and not found.complement and base(found.verb) in _ONE_IS_DONE)
    return not (found.complement or found.preposition) and found.lemma in _ONE_DOES


@lru_cache(maxsize=65_536)
def _few_have(predicate: str, object_type: EntityType) -> bool:
    """Whether it is not plain that many have a relation to one object: "studied at", "was directed by"."""
    if _singles_out(predicate, object_type):
        return True
    found = parse(predicate)
    if found.voice != "active" or object_type in _PLACES:
        return False
    return _MANY_DO.isdisjoint({predicate_key(predicate), found.key})


_OF_TWO_WORDS = (["chief", "executive"], ["managing", "director"], ["general", "manager"])


def _is_the_one(found: Predicate) -> bool:
    words = found.complement.lower().split()
    if not found.is_role or not words or found.preposition not in {"of", "for", "to"}:
        return False
    if (words[0] in _FIRST_OF_MANY and len(words) > 1) or words[-2:] in _OF_TWO_WORDS:
        return True
    return words[-1] in _FOR_LIFE | _FOR_A_TIME and _NOT_THE_ONE.isdisjoint(words)


def _is_of_state(found: Predicate) -> bool:
    """Whether an office is one of a country, state or town, of which everybody knows that many had it."""
    return not _OF_STATE.isdisjoint(found.complement.lower().split())


def _is_of_a_time(found: Predicate, statement: str) -> bool:
    """Whether an office is told of the past or with a year: then others have had it, and it says not who."""
    if found.complement.lower().rsplit(maxsplit=1)[-1] in _FOR_LIFE:
        return False
    return found.verb not in {"is", "are"} or _YEAR.search(statement) is not None


def is_listed(name: str, statement: str, *, chained: bool = False) -> bool:
    """Whether a name is always one of a list: "Ely and Aston Villa"; `chained`, "Ely, England" is none."""
    found = list(whole_places(name, statement))
    behind = _NEXT_PLACE if chained else _LISTED_BEHIND
    return bool(found) and all(
        _LISTED_BEFORE.search(statement[:start]) or behind.match(statement, end) for start, end in found
    )
