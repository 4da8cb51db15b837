"""Does a fact single out what a question asks for? A step of a chain that many things fit has many answers.

What the graph knows is not enough: of a studio's films it has the one that an article tells of. So a step goes
from an object to its subject only over relations that one thing, or one at a time, has to it ("is governor of",
"founded"), and never to one of several that the sentence lists beside each other.
"""

import re
from functools import lru_cache

from kg.model import EntityType
from services.questions.draft import Fact
from services.questions.predicate_key import predicate_key
from services.questions.wording.predicates import Predicate, parse
from services.questions.wording.verbs import base


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ONE_DOES = _words(
    """acquire appoint assassinate author buy captain chair co-found coach code-name command compose construct create
    defeat depose design develop devise direct discover dismiss draft choose edge edit engineer erect establish found front head
    host inherit initiate inspire introduce invade invent kill launch lead manage marry name nominate organise organize
    oust own paint patent pick pioneer pilot portray preside produce propose publish record rename replace sack sculpt select
    sequence sponsor stage succeed translate veto voice win write"""
)
"""Verbs by whose object one subject is known: who founded the firm, wrote the book, married her."""
_ONE_IS_DONE = _words(
    "acquire annex assassinate bury co-found defeat discover establish found inherit invent kill marry precede replace sequence succeed"
)
"""Passives by whose agent one subject is known: the firm that was founded by her, whom he was succeeded by."""
_ONE_IS = _words(
    """architect birthplace boss capital captain ceo chair chairman chairperson chairwoman chancellor chief coach commander
    commissioner composer conductor creator curator dean designer developer director discoverer drummer editor emperor
    empress father father-in-law founder frontman governor head headquarters hometown host husband inventor king leader
    manager manufacturer mayor minister moderator mother mother-in-law mouthpiece namesake narrator nominee owner
    patriarch pilot pope predecessor premier president principal producer provost publisher queen rector ruler
    running-mate sheriff singer skipper speaker spouse stepfather stepmother sultan successor surgeon treasurer
    widow widower wife writer mate seat general"""
)
"""Offices and kinships that one has, or one at a time."""
_NOT_THE_ONE = _words(
    """acting assistant associate board co deputy emeritus ex former founding honorary junior minority previous senior
    shadow supporting vice"""
)
_PLACES_TOO = frozenset({"found", "govern", "rule", "discover", "invade", "conquer"})
_MANY_DO = frozenset(
    """admire; appear in; attend; belong to; collaborate with; compete in; criticise; criticize; contribute to; die in;
    endorse; enter; follow; graduate from; have; include; join; live in; meet; move to; oppose; perform at; perform for;
    perform in; perform with; play; play for; play in; praise; reach; receive; receive education in; refer to; reside in;
    resign from; return to; serve in; serve on; serve with; sign; speak to; speak with; star; star in; stay at; study at;
    study under; support; train at; travel to; use; visit; vote against; vote for; watch; work at; work for; work in; work on;
    work with; run for; talk to; tell; thank; contact; feature; see; call; ask; oppose; be
    """.replace("\n", " ")
    .replace("    ", "")
    .strip()
    .split("; ")
)
"""What many do to one thing."""
_FIRST_OF_MANY = _words("eldest oldest youngest only first last sole inaugural second third fourth fifth")
_MANY_WORKS = _words(
    "act appear compose co-write direct dub feature narrate perform photograph produce publish record release sing star write"
)
"""What somebody does to many works: the film that she directed is one of them."""
_WORKS = frozenset({"WORK", "PRODUCT"})
_PLACES = frozenset({"GPE", "LOC", "FAC", "NORP", "DATE"})
_LISTED_BEHIND = re.compile(
    r"(?:[,;] [^.;]{0,60}?)?,? (?:and|or|&|as well as|along with) (?:the |a |his |her )?[\"\u201c']?[A-Z]"
)
_NAME_IN_LIST = re.compile(r", [\"\u201c]?[A-Z][\w.'\u2019-]+(?: [A-Z][\w.'\u2019-]+)*(?:,| and )")
_LISTED_BEFORE = re.compile(
    r"[A-Z][\w.'\u2019\")-]*,? (?:and|or|&|as well as|along with) (?:the |a |director |film )?[\"\u201c']?$"
)


@lru_cache(maxsize=65_536)
def _singles_out(predicate: str, object_type: EntityType) -> bool:
    """Whether one thing, or one at a time, has a relation to its object."""
    found = parse(predicate)
    if found.voice == "copula":
        return _is_the_one(found)
    if object_type in _PLACES and found.lemma not in _PLACES_TOO:
        return False
    if found.voice == "passive":
        return found.has_agent and not found.complement and base(found.verb) in _ONE_IS_DONE
    return not (found.complement or found.preposition) and found.lemma in _ONE_DOES


@lru_cache(maxsize=65_536)
def _has_many(predicate: str, object_type: EntityType) -> bool:
    """Whether it is plain that many have a relation to one object: "studied at", "was directed by"."""
    found = parse(predicate)
    if _singles_out(predicate, object_type):
        return False
    if found.voice == "copula":
        return True
    if object_type in _PLACES or predicate_key(predicate) in _MANY_DO:
        return True
    return found.voice == "passive" and (found.has_agent or found.preposition in {"in", "at", "on", "to"})


def _is_the_one(found: Predicate) -> bool:
    words = found.complement.lower().split()
    if not found.is_role or not words or found.preposition not in {"of", "for", "to"}:
        return False
    if words[0] in _FIRST_OF_MANY and len(words) > 1:
        return True
    return words[-1] in _ONE_IS and _NOT_THE_ONE.isdisjoint(words)


def unspecific(fact: Fact, subject_type: EntityType, object_type: EntityType, *, asked: bool = True) -> str:
    """Why the step that a chain takes over a fact leads to no single thing; empty where it does.

    What is `asked` for must be the only one of its kind; what a chain goes on from is told by a deed as well that
    few do to the same thing ("sought the nomination of that party").
    """
    found = parse(fact.predicate)
    told = f'"{fact.predicate}" {fact.object} does not single one out'
    if fact.reversed:
        many = (
            not _singles_out(fact.predicate, object_type) if asked else _has_many(fact.predicate, object_type)
        )
        if many:
            return told
    elif (
        found.voice == "active"
        and found.lemma in _MANY_WORKS
        and object_type in _WORKS
        and subject_type not in _WORKS
    ):
        return told
    wanted, kind = (fact.subject, subject_type) if fact.reversed else (fact.object, object_type)
    if kind not in {"DATE", "NUMBER"} and is_listed(wanted, fact.statement or fact.sentence):
        return f'"{wanted}" is one of several that its sentence lists'
    return ""


def is_listed(name: str, statement: str) -> bool:
    """Whether a name stands beside others of the same list: "Liverpool and Aston Villa"."""
    found = list(re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", statement))
    return bool(found) and all(
        _LISTED_BEFORE.search(statement[: one.start()])
        or re.match(
            r",? (?:and|or|&|as well as|along with) (?:the )?[\"\u201c']?[A-Z]", statement[one.end() :]
        )
        or (_NAME_IN_LIST.match(statement, one.end()) and _LISTED_BEHIND.match(statement, one.end()))
        for one in found
    )
