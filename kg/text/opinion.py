"""Whether a sentence of a news article states a fact or an opinion, by rules that can be read.

Each rule counts what it looks for and adds its weight in log-odds for each hit, up to a cap; the sum
with the prior goes through the logistic function. The weights were set by hand: news states facts, so
a sentence counts as fact unless something speaks against it. One plain sign (a word of praise, a duty,
a doubt) outweighs the prior; weak signs must come in pairs; names, numbers and dates outweigh a weak one.
"""

import math
import re
from itertools import islice
from typing import NamedTuple

FACTUAL_FROM = 0.5
"""From this probability on a sentence is kept as a fact."""

_PRIOR = 1.6
_MAINLY_QUOTED = -1.4
_QUOTED = re.compile(r'"[^"]{1,2000}(?:"|$)')
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


class _Rule(NamedTuple):
    weight: float
    cap: int
    pattern: re.Pattern[str]


def _phrases(weight: float, cap: int, phrases: str, as_written: bool = False) -> _Rule:
    """A rule for phrases that commas part; each may be a regular expression."""
    alternatives = "|".join(phrase.strip() for phrase in phrases.split(","))
    flags = re.NOFLAG if as_written else re.IGNORECASE
    return _Rule(weight, cap, re.compile(rf"\b(?:{alternatives})\b", flags))


_FIRST_PERSON = _phrases(
    -1.2, 2, r"I(?!\.), [Mm]e, [Mm]y, [Mm]yself, [Ww]e, [Oo]ur, [Oo]urs, us", as_written=True
)
_SECOND_PERSON = _phrases(-1.2, 1, "you, your, yours")
_DOUBT = _phrases(
    -1.9, 2, "perhaps, maybe, probably, possibly, presumably, arguably, apparently, seemingly, no doubt"
)
_SEEMING = _phrases(
    -1.2,
    2,
    "seems?, seemed, looks? (?:like|as if|set), appears? to, feels? like, tends? to, likely, unlikely",
)
_POSSIBILITY = _phrases(-1.0, 2, "might, could, would, may [a-z]+", as_written=True)
_OBLIGATION = _phrases(
    -1.9,
    2,
    "should, shouldn't, ought to, must, mustn't, needs? to, has to, have to, had better, deserves?, let's",
)
_PREDICTION = _phrases(
    -1.3,
    1,
    """is going to, are going to, bound to, sure to, is expected to be, won't,
    will (?:never|always|surely|prove|become|soon|only|be (?:a|the|remembered))""",
)
_BELIEF = _phrases(
    -1.9,
    2,
    """(?:I|we|they|he|she|critics|many|some|fans|people) (?:do not |don't |firmly )?(?:think|believe|feel)s?,
    (?:I|we|they|he|she|critics|many|some|fans|people) (?:do not |don't )?(?:hope|fear|doubt|thought|felt)s?,
    in (?:my|our|his|her|their) (?:opinion|view|eyes),
    (?:analysts|economists|experts|observers|investors) (?:expect|predict|believe|think|fear|hope|doubt)""",
)
_STANCE = _phrases(-1.2, 1, "frankly, honestly, to be fair, of course, needless to say, so-called")
_PRAISE_AND_BLAME = _phrases(
    -1.9,
    3,
    """terrible, terribly, horrible, awful, brilliant, brilliantly, beautiful, beautifully, wonderful,
    wonderfully, amazing, amazingly, fantastic, great(?! [A-Z]), greatest, stunning, superb, disgraceful,
    shameful, ridiculous, absurd, stupid, foolish, pathetic, disappointing, disappointingly, sadly,
    tragically, unfortunately, fortunately, thankfully, hopefully, dreadful, magnificent, remarkable,
    remarkably, incredible, incredibly, unbelievable, outrageous, unfair, unacceptable, reckless, naive,
    hypocritical, cowardly, heroic, inspiring, delightful, charming, boring, tedious, dull, overrated,
    underrated, ugly, lovely, gorgeous, masterpiece, masterful, nonsense, disgrace, farce, joke, folly,
    failed miserably, heartbreaking, baffling, bizarre, clumsy, elegant, shockingly, surprisingly,
    impressive, unforgivable, cruel, wise, unwise, long overdue""",
)
_JUDGEMENT = _phrases(
    -0.9,
    2,
    """best, worst, worse, better off, important, dangerous, interesting, good, bad, wrong, failure, mistake,
    worth, proud, happy, exciting, excited, special, fun, sense of, hard to (?:see|imagine|believe),
    difficult to (?:see|imagine|believe), too (?:much|many|often|late|little|long|far)""",
)
_EMPHASIS = _phrases(
    -0.9,
    2,
    """very, really, truly, absolutely, extremely, simply, clearly, obviously, certainly, surely, utterly,
    totally, completely, undoubtedly, deeply, nothing but, nothing less, far from, rather, quite""",
)
_QUESTION = _Rule(-3.5, 1, re.compile(r"""\?["')]*\s*\Z"""))
_EXCLAMATION = _Rule(-2.5, 1, re.compile(r"""!["')]*\s*\Z"""))

_NUMBER = _Rule(0.5, 2, re.compile(r"(?<!\w)[$€£]?\d[\d,.]*"))
_NAME = _phrases(0.3, 3, r"(?<=\w )[A-Z][a-z]+", as_written=True)
_TIME = _phrases(
    0.5,
    1,
    """(?:mon|tues|wednes|thurs|fri|satur|sun)day, yesterday, last (?:week|month|year|night), january,
    february, april, june, july, august, september, october, november, december""",
)
_EVENT = _phrases(
    0.5,
    1,
    """announced, reported, confirmed, signed, elected, appointed, killed, injured, arrested, charged,
    convicted, sentenced, acquired, founded, born, died, published, launched, released, opened, closed, voted,
    approved, located, won, lost, defeated, scored""",
)
_SOURCE = _phrases(
    0.7, 1, "according to, (?:police|officials|authorities|prosecutors) said, data (?:show|showed|from)"
)

_RULES = (
    _FIRST_PERSON, _SECOND_PERSON, _DOUBT, _SEEMING, _POSSIBILITY, _OBLIGATION, _PREDICTION, _BELIEF, _STANCE,
    _PRAISE_AND_BLAME, _JUDGEMENT, _EMPHASIS, _QUESTION, _EXCLAMATION, _NUMBER, _NAME, _TIME, _EVENT, _SOURCE,
)  # fmt: skip


def factual_probability(sentence: str) -> float:
    """How likely `sentence` states a fact: 0 to 1, a fact from `FACTUAL_FROM` on; without words it is 0."""
    if not any(char.isalnum() for char in sentence):
        return 0.0
    plain = sentence.translate(_STRAIGHT)
    log_odds = _PRIOR + sum(rule.weight * _hits(rule, plain) for rule in _RULES)
    quoted = sum(match.end() - match.start() for match in _QUOTED.finditer(plain))
    if 2 * quoted >= len(plain):
        log_odds += _MAINLY_QUOTED
    return 1.0 / (1.0 + math.exp(-log_odds))


def _hits(rule: _Rule, sentence: str) -> int:
    return sum(1 for _ in islice(rule.pattern.finditer(sentence), rule.cap))
