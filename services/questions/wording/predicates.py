"""What a predicate is made of: auxiliaries, verb, complement and preposition.

Verb groups of a predicate as questions need them: agreeing, inverted, passive, active again.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from kg.extract.predicates import name_inside
from services.questions.wording import verbs
from services.questions.wording.verbs import AUXILIARIES, BE, DO, HAVE, MODALS

_PREPOSITIONS = """
about above across after against ahead along alongside amid among around as at before behind below beneath
beside between beyond by despite down during for from in inside into near of off on onto opposite out
outside over past per since through throughout to toward towards under until up upon via with within without
"""
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
PARTICLES = frozenset(["up", "out", "off", "down", "over", "away", "back", "through", "along", "on", "in"])
_NEVER_STRANDED = frozenset({"up", "out", "off", "down", "away", "back"})
DENIALS = frozenset(["not", "never", "no", "longer", "hardly", "barely", "neither", "nor", "without"])
POSSESSIVES = frozenset(["its", "their", "his", "her"])
ROLE_VERBS = frozenset({"become", "remain", "name", "elect", "appoint", "make", "crown", "serve"})

MOST_WORDS = 8
_EMPTY_VERBS = frozenset(
    {"have", "get", "pronounce", "say", "tell", "do", "be", "call", "begin", "start", "keep"}
)
_STRANDED_BADLY = frozenset({"as", "by", "throughout", "during", "despite", "per", "past"})
_NAMING = frozenset({"name", "rename", "call", "know", "sell"})

_OPERATED = re.compile(r"\b((?:was|were|been) operated) (at|in|by)\b")
"""A surgeon operates on somebody; extraction drops the "on"."""

_NO_ROLES = (["own"], ["other"], ["same"], ["such"])
_AWARDING = frozenset({"award", "grant"})
TAKES_A_NOUN = ROLE_VERBS | {"give", "award", "grant", "offer", "lend", "pay", "declare"}
"""Verbs that have a noun behind their passive; behind another one ("is specialized agency of") it is a copula
with an adjective."""

_OFFICE_WORDS = """
acting agent ambassador attorney chair chairman chairwoman chancellor chief commander congressman
congresswoman deputy director executive first former founder general governor head judge justice king
leader lieutenant manager mayor member minister officer premier president prime prince princess
prosecutor queen representative secretary senator speaker spokesman spokesperson spokeswoman treasurer
vice
"""
_OFFICES = frozenset(_OFFICE_WORDS.split())

_BEFORE_OFFICES = frozenset({"acting", "founding", "managing", "presiding", "reigning", "sitting"})
"""Gerunds that belong to an office: "is managing director of" tells no deed."""
_OFFICES_BEHIND = _OFFICES | {"editor", "partner", "producer"}

_WENT_ON = re.compile(r"^(?:went|goes|has gone) on to ([a-z]+)\b")

_LEAD_BY = re.compile(r"\b(is|was|are|were|been) lead by$")
"""A slip that news make."""

_IS_DETAIL = re.compile(r"[a-z]+-[a-z]+(?:ing|ed)")

_IS_SOMETHING_IN = re.compile(
    r"^(is|was|are|were) (?:an? )?(?:city|town|village|river|lake|mountain|island) in$"
)

_BARE_STATES = dict.fromkeys(("located", "based", "situated", "headquartered", "married", "twinned"), "is")
_BARE_STATES |= dict.fromkeys(("born", "held", "named"), "was")

_SPANS = frozenset({"from", "since", "until", "in"})

Voice = Literal["active", "passive", "copula"]


@dataclass(frozen=True, slots=True)
class Predicate:
    """ "has sent team to" is active, auxiliaries ("has",), verb "sent", complement "team", preposition "to".

    A copula has its role noun or adjective as complement: "is largest shareholder of".
    """

    text: str
    voice: Voice
    auxiliaries: tuple[str, ...]
    verb: str
    complement: str
    preposition: str

    @property
    def lemma(self) -> str:
        """The verb's infinitive."""
        return "be" if self.voice == "copula" else verbs.base(self.verb)

    @property
    def key(self) -> str:
        """What says the same in any tense: "study at", "be located in", "own stake in"."""
        first = f"be {self.verb}" if self.voice == "passive" else self.lemma
        return " ".join(part for part in (first, self.complement, self.preposition) if part)

    @property
    def has_agent(self) -> bool:
        """Whether the object is the one who acts: "is governed by"."""
        return self.voice == "passive" and self.preposition == "by"

    @property
    def is_role(self) -> bool:
        """Whether it says what somebody is to the object: "is daughter of", "became president of"."""
        return (
            self.voice == "copula"
            and self.preposition in {"of", "for", "to", "at"}
            and bool(self.complement)
            and self.complement.split()[0] not in {"a", "an", "one"}
            and not verbs.is_only_modifier(self.complement.split()[-1])
            and self.complement
            not in {"part", "home", "heir", "full", "capable", "aware", "similar", "close"}
        )

    @property
    def is_sent(self) -> bool:
        """Whether its role is somebody else's: who "is ambassador to" a country is not that country's."""
        return self.is_role and self.preposition == "to" and self.complement.split()[-1] in _SENT


_SENT = frozenset({"ambassador", "envoy", "emissary", "negotiator", "observer"})


@lru_cache(maxsize=16_384)
def parse(predicate: str) -> Predicate:
    """The parts of a predicate; what is no verb group at all becomes an active verb with a complement."""
    words = _whole(predicate).split() or ["is"]
    at = _auxiliaries_end(words)
    auxiliaries, rest = tuple(words[:at]), words[at:]
    if not rest:
        # "is", "has been", "has": the last auxiliary is the verb itself
        auxiliaries, rest = auxiliaries[:-1], list(auxiliaries[-1:])
    verb, tail = (rest[0], rest[1:]) if rest else ("", [])
    preposition = ""
    if tail and tail[-1].lower() in PREPOSITIONS and tail[-1].lower() not in _NEVER_STRANDED:
        tail, preposition = tail[:-1], tail[-1].lower()
    voice = _voice(auxiliaries, verb)
    if voice == "copula" and tail[:1] == ["the"]:
        tail = tail[1:]
    if voice == "copula" or tail[:1] == ["as"]:
        # "is Prime Minister of": an office, and no name that stands between verb and preposition
        tail = [word.lower() if word.lower() in _OFFICES else word for word in tail]
        # "former non-voting delegate to": the office is told without what its holder may not do
        tail = [word for word in tail[:-1] if not _IS_DETAIL.fullmatch(word)] + tail[-1:]
    return Predicate(predicate, voice, auxiliaries, verb, " ".join(tail), preposition)


def _whole(predicate: str) -> str:
    """The predicate with what extraction left out: "located in" is "is located in"."""
    first, _, rest = predicate.partition(" ")
    if (first in _BARE_STATES and rest in PREPOSITIONS) or (rest == "by" and verbs.is_participle(first)):
        predicate = f"{_BARE_STATES.get(first, 'was')} {predicate}"
    predicate = _LEAD_BY.sub(r"\1 led by", predicate)
    predicate = _WENT_ON.sub(lambda found: verbs.past(verbs.base(found[1])), predicate)
    predicate = _IS_SOMETHING_IN.sub(r"\1 located in", predicate)
    return _OPERATED.sub(r"\1 on \2", predicate)


def _auxiliaries_end(words: list[str]) -> int:
    at = 0
    while at < len(words) - 1 and words[at].lower() in AUXILIARIES:
        word, following = words[at].lower(), words[at + 1].lower()
        if word in BE and not (_is_verbal(following) or following in BE):
            break
        if word in BE and words[at + 2 : at + 3] == ["of"] and verbs.is_noun(following):
            break  # "is building of": a thing, not a deed
        if word in BE and words[at + 1 : at + 3] == ["running", "mate"]:
            break
        office = words[-2].lower() in _OFFICES_BEHIND and at < len(words) - 3
        if word in BE and following in _BEFORE_OFFICES and office:
            break  # "is managing director of": an office, and no deed
        if word in HAVE and not (verbs.is_participle(following) or following in BE):
            break
        if word in DO | MODALS and not verbs.known_lemmas(following) and following not in AUXILIARIES:
            break
        at += 1
    return at


def _is_verbal(word: str) -> bool:
    return verbs.is_participle(word) or verbs.is_gerund(word)


def _voice(auxiliaries: tuple[str, ...], verb: str) -> Voice:
    if verb in BE:
        return "copula"
    if auxiliaries and auxiliaries[-1] in BE:
        return "active" if verbs.is_gerund(verb) else "passive"
    return "active"


def wordable(predicate: str) -> bool:
    """Whether a question over the predicate can read as English; a filter rejects the others."""
    words = predicate.split()
    if not words or len(words) > MOST_WORDS or DENIALS & {word.lower() for word in words}:
        return False
    found = parse(predicate)
    if not (found.verb in AUXILIARIES or verbs.known_lemmas(found.verb) or verbs.is_participle(found.verb)):
        return False
    return not _lacks_its_article(found) and _says_something(found) and _complement_is_plain(found)


def names_somebody(predicate: str) -> bool:
    """Whether a name stands between verb and preposition, to which the preposition mostly belongs.

    "Asked the District Court for the Southern District": the court is the one for the district.
    """
    found = parse(predicate)
    own, *others = found.complement.split() or [""]
    complement = others if own.endswith(("'s", "\u2019s")) else [own, *others]
    return bool(found.preposition) and bool(name_inside(" ".join(["has", *complement, found.preposition])))


def _lacks_its_article(found: Predicate) -> bool:
    """Whether it is of something that is no role ("is state on", "is own adviser of")."""
    if found.voice == "copula":
        bare = verbs.is_noun(found.complement) and found.preposition in {"on", "in", "by"}
        return bare or found.complement.split()[:1] in _NO_ROLES
    return (
        found.voice == "passive"
        and found.preposition == "of"
        and bool(found.complement)
        and found.lemma not in TAKES_A_NOUN
    )


def _says_something(found: Predicate) -> bool:
    if found.voice == "copula" and found.complement.startswith(("a ", "an ")):
        return found.preposition == "of"
    if found.voice == "copula":
        return bool(found.complement) or found.preposition not in {"", "by", "of", "with"}
    if (
        found.voice == "passive"
        and verbs.base(found.verb) in _NAMING
        and found.preposition in {"", "as", "in"}
    ):
        return False
    if found.preposition in _STRANDED_BADLY and not found.has_agent:
        return found.preposition == "by" and bool(found.complement)
    if found.voice == "passive" and not found.preposition and not found.complement:
        return found.lemma in _AWARDING
    return bool(found.complement or found.preposition) or found.lemma not in _EMPTY_VERBS


def _complement_is_plain(found: Predicate) -> bool:
    """A verb behind "to", or a few words without a second clause, digits or a bracket in them."""
    words = found.complement.split()
    if not words:
        return True
    if any(not word.replace("'", "").replace("-", "").isalpha() for word in words):
        return False
    inner = [word for word in words if word.lower() in PREPOSITIONS]
    if words[0].lower() == "to":
        return len(words) <= 2
    return len(inner) <= 1 and (
        words[0].lower() not in PREPOSITIONS
        or words[0].lower() in PARTICLES | {"at", "by"}
        or (words[0] == "as" and found.preposition in _SPANS and set(words[1:]) <= _OFFICES)
    )


_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does", "am": "is"}
_PLURAL = {"is": "are", "was": "were", "has": "have"}


def is_plural(found: Predicate) -> bool:
    """Whether the predicate stands with a subject in the plural: "are based in", "compete in"."""
    first = found.auxiliaries[0] if found.auxiliaries else found.verb
    if first in BE | HAVE | DO | MODALS:
        return first in {"are", "were", "have", "do"}
    return first == verbs.base(first) and not verbs.is_past(first)


def is_present(found: Predicate) -> bool:
    """Whether the predicate tells of what is, rather than of what was."""
    first = found.auxiliaries[0] if found.auxiliaries else found.verb
    if first in BE | HAVE | DO | MODALS:
        return first not in {"was", "were", "had", "did", "would", "been"}
    return not verbs.is_past(first)


def finite(found: Predicate) -> str:
    """The group behind a described subject, which is one: "are based" -> "is based"."""
    if found.auxiliaries:
        first = _SINGULAR.get(found.auxiliaries[0], found.auxiliaries[0])
        return " ".join((first, *found.auxiliaries[1:], found.verb))
    if found.verb in _SINGULAR:
        return _SINGULAR[found.verb]
    return verbs.third(verbs.base(found.verb)) if is_plural(found) else found.verb


def inverted(found: Predicate, plural: bool = False) -> tuple[str, str]:
    """What stands before the subject of a question and what behind it: ("does", "breed")."""
    if found.auxiliaries:
        first = found.auxiliaries[0]
        behind = " ".join((*found.auxiliaries[1:], found.verb))
        return (first if plural else _SINGULAR.get(first, first)), behind
    if found.verb in BE:
        return (found.verb if plural else _SINGULAR.get(found.verb, found.verb)), ""
    infinitive = verbs.base(found.verb)
    if not is_present(found):
        return "did", infinitive
    return ("do" if plural else "does"), infinitive


def passive(found: Predicate, plural: bool = False) -> str:
    """The active group said of its object: "sequenced" -> "was sequenced", "has won" -> "has been won"."""
    done = verbs.participle(verbs.base(found.verb))
    if not found.auxiliaries:
        be = "is" if is_present(found) else "was"
    else:
        first = _SINGULAR.get(found.auxiliaries[0], found.auxiliaries[0])
        if first in BE:
            be = f"{first} being"
        elif first in HAVE:
            be = f"{first} been"
        elif first in DO:
            be = "is" if first == "does" else "was"
        else:
            be = f"{first} be"
    word, _, rest = be.partition(" ")
    words = (_PLURAL.get(word, word) if plural else word, *((rest,) if rest else ()), done)
    return " ".join(words)


def participle(found: Predicate) -> str:
    """The participle of an active verb, with "being" where the deed goes on."""
    done = verbs.participle(verbs.base(found.verb))
    return f"being {done}" if found.auxiliaries and found.auxiliaries[0] in BE else done


def agentive(found: Predicate) -> str:
    """What the agent of a passive does: "is governed" -> "governs", "has been run" -> "has run"."""
    infinitive = _unpassive(found.verb)
    first = _SINGULAR.get(found.auxiliaries[0], found.auxiliaries[0])
    if first in HAVE:
        return f"{first} {found.verb}"
    if first in MODALS:
        return f"{first} {infinitive}"
    return verbs.past(infinitive) if first == "was" else verbs.third(infinitive)


def can_be_reduced(found: Predicate) -> bool:
    """Whether a passive can do without its auxiliary: "the place (that is) governed by"."""
    return found.voice == "passive" and len(found.auxiliaries) == 1 and found.auxiliaries[0] in BE


def _unpassive(done: str) -> str:
    """The infinitive of a participle, where a form is ambiguous: "founded", "found"."""
    fitting = [lemma for lemma in verbs.known_lemmas(done) if verbs.participle(lemma) == done]
    return fitting[0] if fitting else verbs.base(done)
