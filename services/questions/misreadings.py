"""May the sentence of a fact be read otherwise? Then rules ask nothing about it; a model reads the sentence.

The parser chooses one reading where a sentence allows two: "the film Tarn, produced by Otto" of a soundtrack,
"filled in for", "half-brother", "Karl and his son" said of a third. A reader settles most of these by what he
knows; a rule can't, so it refuses. Where a model words questions it is shown the sentence and judges for
itself, so none of this stands between it and a path.
"""

import re
from calendar import day_name, month_name
from collections.abc import Iterator
from functools import lru_cache

from kg.model import PLACE_TYPES, REGION_TYPES, EntityType
from kg.text.lexicon import PROFESSIONS
from kg.text.words import whole_places
from services.questions.attachment import hangs_on_another
from services.questions.draft import Fact
from services.questions.fitting import is_of_a_body
from services.questions.lasting import fleeting, of_another_year
from services.questions.roles import KIN
from services.questions.singling_out import is_listed
from services.questions.soundness import TypedFact, is_in_a_chain
from services.questions.wording.head_nouns import NAME_HEADS
from services.questions.wording.nouns import ACTING, place_noun, sorts_of
from services.questions.wording.predicates import PREPOSITIONS, parse
from services.questions.wording.verbs import base, is_gerund, is_past


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAME = re.compile(r"[A-Z][\w.\u2019-]*(?: [A-Z][\w.\u2019-]*)*")
_BEGINNING = re.compile(
    r"(?:In|On|At|By|After|Before|During|Since|When|While|As|With|For|From|The|A|An|But|And|Also|Then|Later|"
    rf"{'|'.join((*month_name[1:], *day_name))})"
)
"""A capital that no name has: "In 2031 Ana Brel", "On Monday Otto Tarn"."""


def misread(fact: Fact, subject_type: EntityType, object_type: EntityType) -> str:
    """Why a fact may say something else than its statement, empty where nothing speaks for that."""
    statement = fact.statement or fact.sentence
    return _by_pronoun(fact) or _misread(
        fact.subject, fact.predicate, fact.object, subject_type, object_type, statement
    )


def misread_in_chain(fact: Fact, subject_type: EntityType, object_type: EntityType) -> str:
    """Why rules ask no chain over a fact: its sentence may be read otherwise, or tells of a moment."""
    if object_type in REGION_TYPES and is_of_a_body(fact.predicate, fact.object):
        return f'"{fact.predicate}" is rather of a body in {fact.object}'
    moment = fleeting(fact.predicate, object_type == "DATE") or of_another_year(fact)
    return misread(fact, subject_type, object_type) or moment


def _by_pronoun(fact: Fact) -> str:
    """Why a role or kinship that a sentence tells by "his" or "her" may be another's, empty where it isn't.

    It is sure where whose it is stands first in the sentence, or right before: "Karl met Ana Brel and her
    brother". In "Ana Brel's aide, Otto Tarn, and her former adviser" the last one named is the wrong one.
    """
    found = parse(fact.predicate)
    if found.voice != "copula" or not found.complement or found.preposition != "of":
        return ""
    head = re.escape(found.complement.rsplit(maxsplit=1)[-1])
    owned = re.search(
        rf"\b(his|her|its|their) (?:[\w'\u2019-]+ ){{0,4}}?{head}\b", fact.sentence, re.IGNORECASE
    )
    if owned is None:
        return ""
    last, before = fact.object.rsplit(maxsplit=1)[-1], fact.sentence[: owned.start()]
    names = [one for one in _NAME.findall(before) if not _BEGINNING.fullmatch(one)]
    of_bodies = owned[1].lower() in {"its", "their"}
    if of_bodies and len({*names}) > 1 and names[-1] != fact.object:
        names = []  # "Ely Bank says that Tarn owns a house of its chairman Otto Pell": Tarn's, or Ely's
    right_before = re.search(rf"\b{re.escape(last)}(?: ?\([^)]*\))? and $", before)
    if right_before or (names and last in re.findall(r"[\w-]+", names[0])):
        return ""
    return f'"{fact.predicate}" may be said of others than {fact.object}: its sentence has "{owned[0]}"'


@lru_cache(maxsize=65_536)
def _misread(
    subject: str,
    predicate: str,
    object_: str,
    subject_type: EntityType,
    object_type: EntityType,
    statement: str,
) -> str:
    said = TypedFact(subject, parse(predicate), object_, subject_type, object_type, statement)
    reasons = (*_of_words(said), *_of_names(said), *_of_types(said), *_of_place(said))
    if said.predicate.voice == "copula":
        reasons += (*_of_complement(said), *_of_kin(said))
    else:
        reasons += (*_of_moment(said), *_of_verb(said))
    return f'"{predicate}" {reasons[0]}' if reasons else ""


_NAMING = re.compile(
    r"\b(?:(?:known|credited|billed|styli[sz]ed) as|abbreviated to|(?:sub|en)?titled|termed|nicknamed)\b"
)
_ASKED_TO = re.compile(r"\b(?:is|was|are|were|been) (?:asked|urged|ordered|due|scheduled) to\b")
_TWO_PREPOSITIONS = (" in to", " on to", " in on", " in at")
_RANK = re.compile(r"\b(second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)[ -](\w+est)\b")


def _of_words(said: TypedFact) -> Iterator[str]:
    """What the words of a predicate leave out, or do not tell."""
    told, statement = said.predicate.text.split(), said.statement
    if _NAMING.search(said.predicate.text):
        yield "tells no more than a name"
    if said.predicate.text.endswith(_TWO_PREPOSITIONS):
        yield "tells of a moment"
    if _ASKED_TO.search(said.predicate.text):
        yield "tells what is only asked for"
    for rank, what in _RANK.findall(statement):
        if what in told and rank not in told:
            yield f'leaves out "{rank}"'
    if cut := next((word for word in told if _is_of_compound(word, statement)), ""):
        yield f'leaves out what "{cut}" is joined to'
    if "respectively" in statement and all(
        is_listed(name, statement) for name in (said.subject, said.object)
    ):
        yield "may be said of another of those that its sentence lists"


def _is_of_compound(word: str, statement: str) -> bool:
    """Whether a word always stands joined to another by a hyphen: "half-brother", "east-west"."""
    if not word.isalpha():
        return False
    whole = len(list(whole_places(word, statement)))
    if not any(joint in statement for dash in "-\u2013" for joint in (dash + word, word + dash)):
        return False
    joined = re.findall(rf"\w[-\u2013]{word}(?!\w)|(?<!\w){word}[-\u2013]\w", statement)
    return 0 < whole == len(joined)


_CUT_NAME = re.compile(r" (?:The|the|of|and|for)$")
_BEFORE_SOMEBODY = re.compile(r" ([a-z]+) [A-Z]")


def _of_names(said: TypedFact) -> Iterator[str]:
    """Names that are only a part of what stands in the statement."""
    for name, kind in ((said.subject, said.subject_type), (said.object, said.object_type)):
        if kind in {"DATE", "NUMBER"}:
            continue
        if name.startswith("ex-"):
            yield f'is told of "{name}"'
        junior = name.endswith((" Jr.", " Sr.")) and name not in said.statement
        if " and " in name and _may_be_two(name, said.statement):
            yield f'may have two names in "{name}"'
        if junior or _CUT_NAME.search(name) or (kind == "WORK" and _is_in_a_title(name, said.statement)):
            yield f'may be said of others than "{name}"'
        rests = [said.statement[end:] for _, end in whole_places(name, said.statement)]
        if rests and all(_goes_on(name, kind, rest) for rest in rests):
            yield f'has only a part of a name in "{name}"'


def _may_be_two(name: str, statement: str) -> bool:
    """Whether a name with "and" may be two: "Rell and Tarn Church", but not "the Rell and Tarn Museum"."""
    head = NAME_HEADS.get(name.rsplit(maxsplit=1)[-1].lower(), "")
    return "place" in sorts_of(head) and f"the {name}" not in statement


def _goes_on(name: str, kind: EntityType, rest: str) -> bool:
    """Whether a name goes on: "University of Rell at Ostrel", "Tarn Five drummer Otto"."""
    if kind == "PERSON":
        behind = _BEFORE_SOMEBODY.match(rest)
        return behind is not None and (behind[1] in PROFESSIONS or "person" in sorts_of(behind[1]))
    further = r"\u2013\s?[A-Z]| of (?:that|the same) (?:name|title)\b"
    if kind == "ORG" and name.startswith("University of"):
        further += r"| at [A-Z]"
    if kind == "ORG" and name.endswith(("Committee", "Commission", "Conference")):
        further += r"| on (?:the )?(?!\w+day\b)[A-Z]"
    return re.match(further, rest) is not None


def _is_in_a_title(name: str, statement: str) -> bool:
    """Whether a work's name always stands within longer quoted words: "Sunfire & Big Hero 6"."""
    told = [one for one in re.findall(r"[\"\u201c]([^\"\u201d]*)[\"\u201d]", statement) if name in one]
    whole = any(re.fullmatch(rf"\W*(?:(?:The|A|An) )?{re.escape(name)}\W*", one) for one in told)
    return len(told) == statement.count(name) > 0 and not whole


_MADE = _words("compose direct film produce publish record release write")


def _of_types(said: TypedFact) -> Iterator[str]:
    """Ends that a bare verb does not have, whatever the sentence."""
    found, ends = said.predicate, {said.subject_type, said.object_type}
    if found.voice == "passive" and base(found.verb) in {"release", "publish"} and said.subject_type == "ORG":
        yield f"does not go with {said.subject}"
    if found.voice != "active" or found.preposition or found.complement:
        return
    odd = (
        (found.lemma == "marry" and said.object_type != "PERSON")
        or (base(found.verb) in _MADE and said.object_type in {"GPE", "LOC", "NORP"})
        or (found.lemma in {"win", "earn"} and said.object_type == "PERSON")
        or (found.lemma in {"feature", "star"} and ends == {"PERSON"})
        or (found.verb in {"lead", "leads"} and (said.subject_type, said.object_type) != ("PERSON", "ORG"))
        or found.lemma == "pair"
    )
    if odd:
        yield f"does not go with {said.subject} and {said.object}"


_COMPANY = r"(?: (?:Inc|Corp|Co|Ltd|PLC|plc|LLC|AG|SE|NV|SA|Group|Holdings|Motors?|Bank|Automobile)\b\.?)"
_SEATED = re.compile(r"\b(?:based|headquarter|locat|situated|seat|home)")


def _of_place(said: TypedFact) -> Iterator[str]:
    """Why what lies somewhere may lie elsewhere: another place follows it, or this one is only next to it."""
    if said.predicate.key != "be located in":
        return
    subject, object_ = re.escape(said.subject), re.escape(said.object)
    other = re.search(rf"(?<!\w){subject} in (?:the )?(?!{object_})[A-Z]", said.statement)
    if other and not is_in_a_chain(said.subject, said.object, said.statement):
        yield "follows another place"
    if _is_unknown_in_a_list(said):
        yield f'may have "{said.object}" as the next of a list'
    if re.search(r"\b[A-Z]\w+ border\b", said.statement) and said.object not in said.statement:
        yield "is told of a border"
    if re.search(r"\bformer (?:[A-Z]\w+ )?(?:republic|colony|territory|province)", said.statement):
        yield "is told of what was"
    branch = re.search(rf"(?<!\w){subject}{_COMPANY}* in (?:the )?{object_}", said.statement)
    bank = re.search(r"\bBank of\b", said.subject)
    named = bank or re.search(_COMPANY, said.subject) or re.search(rf"{subject}{_COMPANY}", said.statement)
    if branch and named and not _SEATED.search(said.statement):
        yield "may be of a branch"


_LIST_GOES_ON = re.compile(r"(?:,[^.;]*)? and (?:the )?[A-Z]")


def _is_unknown_in_a_list(said: TypedFact) -> bool:
    """Whether a comma alone puts a place into one that no list knows: "a new Ely, Fierro, Rell and Os"."""
    known = bool(place_noun(said.object))
    chained = re.search(rf"{re.escape(said.subject)}, (?:the )?{re.escape(said.object)}", said.statement)
    rest = [said.statement[end:] for _, end in whole_places(said.object, said.statement)]
    return not known and chained is not None and all(_LIST_GOES_ON.match(one) for one in rest)


_POSTURES = _words("stand sit lie kneel wait sleep pose pause")
"""What somebody did somewhere for a moment: nobody is described by where he stood."""
_SPEAKING = _words("refer allude point react respond reply object")


def _of_moment(said: TypedFact) -> Iterator[str]:
    """What somebody did for a moment, by which nobody would be described."""
    found = said.predicate
    if found.lemma in _POSTURES and said.subject_type == "PERSON" and said.object_type in PLACE_TYPES:
        yield "tells of a moment"
    spoken = found.lemma in _SPEAKING and found.preposition == "to"
    spoken |= found.lemma in {"speak", "talk"} and found.preposition in {"of", "about"}
    if spoken and found.voice == "active":
        yield "tells only what was spoken of"


def _of_verb(said: TypedFact) -> Iterator[str]:
    """Why a verb is not whole, or says of its subject what was said of something else."""
    found, words = said.predicate, said.predicate.complement.split()
    if (found.lemma == "become" and (not words or words[0] == "to")) or words[-2:] == ["to", "become"]:
        yield "does not tell what"
    only_asked = found.lemma == "ask" and bool(found.preposition)
    helped = found.lemma == "help" and bool(words)  # "helped spearhead the launch of"
    if only_asked or helped or _object_acts(said) or _takes_a_clause(said):
        yield "is only a part of what its sentence says"
    if direction := _left_out_direction(said):
        yield f'leaves out "{direction}"'
    if found.key == "be located in" and _is_beside(said):
        yield f'may have "{said.object}" as the next of a list'
    doing = found.auxiliaries and is_gerund(found.verb) and bool(words)
    if doing and re.search(rf"\b(?:an?|the) {found.verb} {words[0]}\b", said.statement):
        yield "tells what something is, and no deed"
    if found.preposition == "as" and said.object_type == "PERSON" and base(found.verb) in _PLAYS:
        yield "tells of a role, and not of somebody"
    if found.preposition == "as" and any(word[:1].isupper() for word in words):
        yield "tells two things"
    if _is_in_a_phrase(said):
        yield f"may be said of what has {said.object} in it"
    if particle := _left_out_particle(said):
        yield f'leaves out "{particle}"'
    if said.subject_type in REGION_TYPES and found.voice == "passive" and base(found.verb) in _OF_PROJECTS:
        yield "is said of no place"
    if said.object_type == "DATE" and found.lemma not in {"bear", "die"} and _is_of_a_life(said):
        yield "has a date that stands in brackets, as of a life"
    chained = found.key == "be located in" and is_in_a_chain(said.subject, said.object, said.statement)
    if found.voice == "passive" and found.preposition != "as" and not chained and hangs_on_another(said):
        yield f"may be said of others than {said.subject}"


def _is_in_a_phrase(said: TypedFact) -> bool:
    """Whether "which" may mean more than the name before it: "the chapel of Rell in Tarn, which he held"."""
    if f"{said.object}, which " not in said.statement:
        return False
    phrase = rf"\b(?:an?|the) [a-z]+ (?:of|in|at|for|from) [^,;]*?{re.escape(said.object)}, which "
    clause = rf"(?:[\w.'\u2019-]+ ){{1,4}}{re.escape(said.predicate.verb)}\b"
    return re.search(phrase + clause, said.statement) is not None


def _left_out_particle(said: TypedFact) -> str:
    """What stands between the verb and its preposition in the statement: "in" of "filled in for"."""
    verb, preposition = said.predicate.verb, said.predicate.preposition
    if said.predicate.complement or not preposition:
        return ""
    between = re.findall(rf"\b{re.escape(verb)} (?:(\w+) )?{preposition}\b", said.statement)
    return between[0] if between and all(word in PREPOSITIONS for word in between) else ""


def _object_acts(said: TypedFact) -> bool:
    """Whether a deed is about what its object does: "advocates Puerto Rico becoming a state"."""
    if f"{said.predicate.verb} {said.object} " not in said.statement:
        return False
    verb, name = re.escape(said.predicate.verb), re.escape(said.object)
    behind = re.search(rf"\b{verb} {name} (?:not )?([a-z]+)", said.statement)
    return behind is not None and said.predicate.voice == "active" and is_gerund(behind[1])


_TAKES_A_CLAUSE = _words(
    """accept acknowledge admit agree allege announce argue assert assume believe claim concede conclude
    confirm declare deny doubt estimate expect fear feel guess hear hope imagine imply indicate insist know
    learn mean notice predict prove realise realize recall recognise recognize report reveal say show signal
    state stress suggest suppose suspect think understand"""
)
"""Verbs behind which a name may begin a clause of its own: "denied the subject came up"."""
_ACTS = r"(?:is|are|was|were|has|have|had|will|would|can|could|should|may|might|must|did|does)\b"


def _takes_a_clause(said: TypedFact) -> bool:
    """Whether what is said, thought or denied is a clause: "denied the subject of Rell came up"."""
    found, name = said.predicate, re.escape(said.object)
    if found.voice != "active" or base(found.verb) not in _TAKES_A_CLAUSE:
        return False
    if re.search(rf"\b{re.escape(found.verb)} {_ACTS}", said.statement):
        return True
    behind = re.search(rf"\b{re.escape(found.verb)}\b[^,.;:]*?(?<!\w){name} ([a-z]+)", said.statement)
    return behind is not None and bool(re.match(_ACTS, behind[1]) or is_past(behind[1]))


_OF_PROJECTS = _words("initiate launch organise organize publish release sponsor write")
"""What is done to a project, whose sentence may have a place nearer: "a backer of the line, launched by"."""
_PLAYS = _words("act appear cast feature play star")
_DIRECTIONS = r"towards?|into|onto|out of|away from|back to|down to|up to"
_DIRECTION = re.compile(rf" (?:{_DIRECTIONS})\b")


def _left_out_direction(said: TypedFact) -> str:
    """Where a deed goes that has no preposition of its own: "pointed Otto towards the door"."""
    found = said.predicate
    if found.voice != "active" or found.preposition or found.complement:
        return ""
    if not _DIRECTION.search(said.statement):
        return ""
    behind = re.search(
        rf"\b{re.escape(found.verb)}\b[^,.;:]*?(?<!\w){re.escape(said.object)} ({_DIRECTIONS})\b",
        said.statement,
    )
    return behind[1] if behind else ""


def _is_beside(said: TypedFact) -> bool:
    """Whether two places with a comma between may be two of a list: "in Ely, Tarn and around the world"."""
    if place_noun(said.object) in ACTING:
        return False
    beside = rf"(?<!\w){re.escape(said.subject)}, {re.escape(said.object)}(?:,? (?:and|or)\b|, the [A-Z])"
    return re.search(beside, said.statement) is not None


def _is_of_a_life(said: TypedFact) -> bool:
    """Whether a date is one of the two in brackets between which somebody lived."""
    day = re.escape(said.object)
    lived = rf"\([^)]*(?:{day}[^)]*[\u2013-][^)]*\d|\d ?[\u2013-][^)]*{day})\)"
    return re.search(lived, said.statement) is not None


_NAMED_SO = _words("city town village state province county district island region borough municipality")
"""Nouns of which "the city of Rell" says no more than what Rell is."""
_OF_PLACES = _words(
    """ally birthplace capital city colony commonwealth destination headquarters home hometown manufacturer
    maker member neighbour owner part partner producer rival seat signatory site source suburb successor
    territory venue"""
)
_NO_ROLE = _words("other another same such")
_OF_FIELDS = _words("chair instructor lecturer professor student teacher")
"""What one is at a school whatever the field: "a professor of history at Rell University"."""


def _of_complement(said: TypedFact) -> Iterator[str]:
    """What is wrong with what a thing is said to be, "of", "in" or "by" another."""
    words, preposition, statement = (
        said.predicate.complement.split(),
        said.predicate.preposition,
        said.statement,
    )
    if not words:
        return
    head = words[-1]
    if _NO_ROLE.intersection(words):
        yield "tells no role"
    if preposition == "of" and head in _NAMED_SO and f"{head} of {said.object}" in statement:
        yield f"only says what {said.object} is"
    if said.subject_type in REGION_TYPES and not ("place" in sorts_of(head) or head in _OF_PLACES):
        yield "is said of no place"
    if said.subject_type in {"FAC", "ORG"} and head in _NAMED_SO | {"capital", "country"}:
        yield "is said of a place"
    field = rf"\b{re.escape(head)} of [a-z]+(?: [a-z]+)* {preposition} (?:the )?{re.escape(said.object)}"
    of_field = head in _OF_FIELDS and re.search(field, statement)
    left_out = (
        preposition != "of" and f"{head} of " in statement and f"{head} {preposition} " not in statement
    )
    if left_out and not of_field:
        yield f'leaves out what stands behind "{head} of"'
    between = re.search(rf"\b{re.escape(head)}\b([^.]*?) by [^.]*?{re.escape(said.object)}", statement)
    nearer = r"\b(?!An?\b|The\b)[A-Z]"
    if preposition == "by" and between and re.search(nearer, between[1].replace(said.subject, "")):
        yield "may be said of something that stands nearer"


def _of_kin(said: TypedFact) -> Iterator[str]:
    """ "Karl asked Uwe and his son Otto": Otto is Uwe's son."""
    kin = KIN.search(said.predicate.complement)
    owner = kin and re.search(
        rf"((?:[A-Z][\w.\u2019'-]+ )*[A-Z][\w.\u2019'-]+)(?: ?\([^)]*\))? and (?:his|her) (?:[\w-]+ ){{0,2}}?"
        rf"{re.escape(kin[0])}\b",
        said.statement,
    )
    if owner and not {*owner[1].split()} & {*said.object.split()}:
        yield f"is said of others than {said.subject} and {said.object}"
