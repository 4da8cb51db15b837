"""Whether a sentence of a news article states a fact or an opinion, by rules that can be read.

A fact is what a third party could check. Judgements, feelings, wishes, guesses, advice, questions and figures
of speech are opinions, whoever holds them.

Each rule counts what it looks for and adds its weight in log-odds for each hit, up to a cap; the sum
with the prior goes through the logistic function. The weights were set by hand, on one half of
seed/gold/opinions.jsonl: news states facts, so a sentence counts as fact unless something speaks against it.
One plain sign (a word of praise, a duty, a doubt) outweighs the prior; weak signs must come in pairs; names,
numbers and dates outweigh a weak one. The command `benchmark opinions` measures it.
"""

import math
import re
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

FACTUAL_FROM = 0.5
"""From this probability on a sentence is kept as a fact."""

_PRIOR = 1.6
_MAINLY_QUOTED = -1.4
_QUOTED = re.compile(r'"[^"]{1,2000}(?:"|$)')
_END_OF_QUOTATION = re.compile(r'[^"]{1,2000}"\W*')
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


@dataclass(frozen=True, slots=True)
class Sign:
    """What a rule found: how often, and what it adds to the log-odds of a fact."""

    rule: str
    hits: int
    weight: float


class _Rule(NamedTuple):
    name: str
    weight: float
    cap: int
    pattern: re.Pattern[str]


def _phrases(name: str, weight: float, cap: int, phrases: str, as_written: bool = False) -> _Rule:
    """A rule for phrases that commas part; each may be a regular expression."""
    alternatives = "|".join(phrase.strip() for phrase in phrases.split(","))
    flags = re.NOFLAG if as_written else re.IGNORECASE
    return _Rule(name, weight, cap, re.compile(rf"\b(?:{alternatives})\b", flags))


_FIRST_PERSON = _phrases(
    "first person", -1.2, 2, r"I(?!\.), [Mm]e, [Mm]y, [Mm]yself, [Ww]e, [Oo]ur, [Oo]urs, us", as_written=True
)
_SECOND_PERSON = _phrases("second person", -1.2, 1, "you, your, yours")
_DOUBT = _phrases(
    "doubt",
    -1.9,
    2,
    "perhaps, maybe, probably, possibly, presumably, arguably, apparently, seemingly, no doubt",
)
_SEEMING = _phrases(
    "seeming",
    -1.2,
    2,
    "seems?, seemed, looks? (?:like|as if|set), appears? to, feels? like, tends? to, likely, unlikely",
)
_POSSIBILITY = _phrases("possibility", -1.0, 2, "might, could, would, may [a-z]+", as_written=True)
_OBLIGATION = _phrases(
    "obligation",
    -1.9,
    2,
    "should, shouldn't, ought to, need not, need be, had better, deserves?, let's",
)
_NECESSITY = _phrases(
    "necessity", -1.2, 2, "must, mustn't, needs?(?! of), has to, have to, badly needed, can ?not, can't"
)
_PREDICTION = _phrases(
    "prediction",
    -1.3,
    1,
    """is going to, are going to, bound to, sure to, is expected to be, won't,
    will (?:never|always|surely|prove|become|soon|only|be (?:a|the|remembered|talked)),
    nobody will, no one will""",
)
_CONDITION = _phrases("condition", -0.7, 1, "if, unless")
_ATTITUDE = _phrases(
    "attitude",
    -1.9,
    2,
    """thinks, believes, hopes, fears, doubts, expects?(?! to be), worries, worry, wishes, wish, wants,
    prefers?, (?:would|'d) (?:rather|prefer|like), I(?:'d| would), suspects that, is wary, are wary,
    hopes? to""",
)
_FEELING = _phrases(
    "feeling",
    -1.9,
    1,
    """glad, ashamed, afraid, sorry, delighted, disappointed, thrilled, heartbroken, heartbreaking, hopeful,
    frustrated, furious, worried, devastated, begging, beg, regrets?, disagrees?,
    (?:am|'m) (?:not )?[a-z]+(?<!ing)(?<!told)""",
)
_COMMENT = _Rule(
    "comment",
    -1.3,
    1,
    re.compile(
        r"""(?:\A|[.;] )["']?(?:It|That|This|Those|These|There)"""
        r"""(?:'s| is| was| are| were|, (?:that|she|he)\b)[ ,]"""
        r"""|\A["']?(?:What (?:has|is|was)|And (?:then|here|there)|Then there)\b"""
    ),
)
_ADVICE = _Rule(
    "advice",
    -1.7,
    1,
    re.compile(
        r"""\A["']?(?:Call|Put|Take|Let|Look|Think|Ask|Imagine|Consider|Remember|Forget|Tell|Give|Try|Wait|Stop|"""
        r"""Keep|Don't|Never|Do not|You can|You could)\s+[a-z]|\b(?:advice|lesson) is\b"""
    ),
)
_SWEEPING = _phrases(
    "sweeping",
    -0.6,
    1,
    "nobody, no one, everyone, everybody, anyone, anybody, nothing, everything, never, always",
)
_BELIEF = _phrases(
    "belief",
    -1.9,
    2,
    """(?:I|we|they|he|she|critics|many|some|fans|people) (?:do not |don't |firmly )?(?:think|believe|feel)s?,
    (?:I|we|they|he|she|critics|many|some|fans|people) (?:do not |don't )?(?:hope|fear|doubt|thought|felt)s?,
    in (?:my|our|his|her|their) (?:opinion|view|eyes),
    (?:analysts|economists|experts|observers|investors) (?:expect|predict|believe|think|fear|hope|doubt)""",
)
_STANCE = _phrases("stance", -1.2, 1, "frankly, honestly, to be fair, of course, needless to say, so-called")
_PRAISE_AND_BLAME = _phrases(
    "praise or blame",
    -1.9,
    3,
    """terrible, terribly, horrible, awful, brilliant, brilliantly, beautiful, beautifully, wonderful,
    wonderfully, amazing, amazingly, fantastic, great(?! (?-i:[A-Z])), greatest, stunning, superb,
    disgraceful, shameful, ridiculous, absurd, stupid, foolish, pathetic, disappointing, disappointingly,
    sadly,
    tragically, unfortunately, fortunately, thankfully, hopefully, dreadful, magnificent, remarkable,
    remarkably, incredible, incredibly, unbelievable, outrageous, unfair, unacceptable, reckless, naive,
    hypocritical, cowardly, heroic, inspiring, delightful, charming, boring, tedious, dull, overrated,
    underrated, ugly, lovely, gorgeous, masterpiece, masterful, nonsense, disgrace, farce, joke, folly,
    failed miserably, heartbreaking, baffling, bizarre, clumsy, elegant, shockingly, surprisingly,
    impressive, unforgivable, cruel, wise, unwise, long overdue""",
)
_JUDGEMENT = _phrases(
    "judgement",
    -0.9,
    2,
    """best, worst, worse, better off, important, dangerous, interesting, good, bad, wrong, failure, mistake,
    worth, proud, happy, awkward, delicate, decent, fine, nice, sensible, silly, clever, triumph, shame,
    disgrace, bruising, badly, smooth, lovely, perfect, pointless, useless, lazy, poor, hard, easy, lonely,
    exciting, excited, special, fun, sense of, hard to (?:see|imagine|believe),
    difficult to (?:see|imagine|believe), too (?:much|many|often|late|little|long|far)""",
)
_EMPHASIS = _phrases(
    "emphasis",
    -0.9,
    2,
    """very, really, truly, absolutely, extremely, simply, clearly, obviously, certainly, surely, utterly,
    totally, completely, undoubtedly, deeply, nothing but, nothing less, far from, rather, quite""",
)
_QUESTION = _Rule("question", -3.5, 1, re.compile(r"""\?["')]*\s*\Z"""))
_EXCLAMATION = _Rule("exclamation", -2.5, 1, re.compile(r"""!["')]*\s*\Z"""))

_NUMBER = _Rule("number", 0.5, 2, re.compile(r"(?<!\w)[$€£]?\d[\d,.]*"))
_NAME = _phrases("name", 0.3, 3, r"(?<=\w )[A-Z][a-z]+", as_written=True)
_TIME = _phrases(
    "time",
    0.5,
    1,
    """(?:mon|tues|wednes|thurs|fri|satur|sun)day, yesterday, last (?:week|month|year|night), january,
    february, april, june, july, august, september, october, november, december""",
)
_EVENT = _phrases(
    "event",
    0.5,
    1,
    """announced, reported, confirmed, signed, elected, appointed, killed, injured, arrested, charged,
    convicted, sentenced, acquired, founded, born, died, published, launched, released, opened, closed, voted,
    approved, located, won, lost, defeated, scored""",
)
_SOURCE = _phrases(
    "source",
    0.7,
    1,
    "according to, (?:police|officials|authorities|prosecutors) said, data (?:show|showed|from)",
)

_RULES = (
    _FIRST_PERSON, _SECOND_PERSON, _DOUBT, _SEEMING, _POSSIBILITY, _OBLIGATION, _NECESSITY, _PREDICTION,
    _CONDITION, _BELIEF, _ATTITUDE, _FEELING, _STANCE, _COMMENT, _ADVICE, _SWEEPING, _PRAISE_AND_BLAME,
    _JUDGEMENT, _EMPHASIS, _QUESTION, _EXCLAMATION, _NUMBER, _NAME, _TIME, _EVENT, _SOURCE,
)  # fmt: skip


def factual_probability(sentence: str) -> float:
    """How likely `sentence` states a fact: 0 to 1, a fact from `FACTUAL_FROM` on; without words it is 0."""
    if not any(char.isalnum() for char in sentence):
        return 0.0
    log_odds = _PRIOR + sum(sign.weight for sign in signs(sentence))
    return 1.0 / (1.0 + math.exp(-log_odds))


def signs(sentence: str) -> list[Sign]:
    """The rules that found something in the sentence; negative weights speak for an opinion."""
    plain = sentence.translate(_STRAIGHT)
    counted = ((rule, _hits(rule, plain)) for rule in _RULES)
    found = [Sign(rule.name, hits, rule.weight * hits) for rule, hits in counted if hits]
    if 2 * _quoted_characters(plain) >= len(plain) > 0:
        found.append(Sign("mainly quoted", 1, _MAINLY_QUOTED))
    return found


def _quoted_characters(plain: str) -> int:
    if plain.count('"') == 1 and _END_OF_QUOTATION.fullmatch(plain):
        return len(plain)
    return sum(match.end() - match.start() for match in _QUOTED.finditer(plain))


def _hits(rule: _Rule, sentence: str) -> int:
    return sum(1 for _ in islice(rule.pattern.finditer(sentence), rule.cap))
