"""The key of a name: what stays when case, accents, punctuation, articles and titles are taken away.

What the way a name is written tells: acronyms, articles, honorifics; and the closed lists of English words
that the rules of resolution look at.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

_TITLE_WORDS = """
    mr mrs ms miss dr doctor prof professor sir dame lord lady king queen prince princess emperor empress
    tsar tsarina sultan sheikh sheikha emir duke duchess archduke archduchess count countess earl baron
    baroness marquess viscount pope cardinal archbishop bishop reverend rev father sister brother rabbi imam
    ayatollah saint st mayor governor president premier chancellor minister senator representative
    congressman congresswoman deputy judge justice attorney sheriff ambassador secretary speaker chairman
    chairwoman chair director rector dean coach captain commander colonel major lieutenant sergeant corporal
    general admiral marshal officer detective inspector constable prime vice health science foreign finance
    interior defence defense education her his highness majesty royal excellency honourable honorable acting
    former old
"""
TITLES = frozenset(_TITLE_WORDS.split())
"""Words before a person's name that are not part of it; "prime minister" is two of them."""

NAME_SUFFIXES = frozenset({"jr", "sr", "junior", "senior", "md", "phd", "obe", "mbe", "cbe", "mp", "esq"})

_SHORT_FORMS = """
    abigail abby gail; albert al bert; alexander alex alec sandy; alexandra sandra; andrew andy drew;
    anthony tony; barbara barb; benjamin ben benny; bernard bernie; bradley brad; catherine cathy;
    charles charlie chuck; christine chrissy; christopher chris kit; daniel dan danny; david dave;
    deborah deb debbie; donald don donny; dorothy dot dottie; edward ed eddie ted; eleanor ellie nell;
    elizabeth liz lizzie beth betsy betty eliza; eugene gene; florence flo; frances fran; francis frank;
    frederick fred freddie; gabriel gabe; geoffrey geoff; gerald gerry; gregory greg; harold hal;
    henry harry hank; isabella bella; jacob jake; james jim jimmy jamie; jeffrey jeff; jennifer jen jenny;
    jessica jess jessie; john jack johnny; jonathan jon; joseph joe joey; joshua josh; judith judy;
    katherine kate kathy katie; kenneth ken kenny; lawrence larry; leonard len lenny; lillian lily;
    margaret maggie meg peggy; martin marty; matthew matt; michael mike mick mickey; mohammed mo;
    nathaniel nathan nate; nicholas nick; pamela pam; patricia pat patty tricia; patrick paddy;
    peter pete; philip phil; raymond ray; rebecca becky; richard rick dick richie; robert bob rob bobby;
    ronald ron ronnie; rosalind roz; samantha sam; samuel sammy; sebastian seb; stephen steve; steven stevie;
    stuart stu; susan sue susie; theodore theo; thomas tom tommy; timothy tim; victoria vicky; vincent vince;
    virginia ginny; walter walt; wilhelmina mina; william bill billy will; zachary zach
"""


def _full_forms() -> dict[str, str]:
    forms = {}
    for line in _SHORT_FORMS.split(";"):
        full, *short = line.split()
        forms.update(dict.fromkeys(short, full))
    return forms


FULL_FORMS: Mapping[str, str] = MappingProxyType(_full_forms())
"""Given name by short form; each short form stands for one only, the commonest."""


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _split_words("of the and for in on at to de la du von")
"""Words that initials may leave out ("Bank of England", "BE")."""

DETERMINERS = _split_words("his her its their our my your this that these those some")

GENERIC_WORDS = _split_words(
    """agency association bank board bureau city club college commission committee company council county
    court department federation foundation fund government group hospital house institute ministry
    museum office party police school senate society team union university american british european
    federal international national new royal north south east west united state central first town world
    saint"""
)
"""Words that many organisations share: alone they name none of them."""

ORGANISATION_TAILS = _split_words(
    """airlines airways athletic bank city club college company corporation cricket fc football group
    holdings hospital international museum newspaper party rovers rugby school sports town united
    university wanderers"""
)
"""Words that end an organisation's full name without making it a part of the organisation."""

PART_WORDS = _split_words(
    """academy africa america arena asia australia board branch canada center centre china committee council
    department desk division europe fans fleet headquarters india international japan lab laboratory library
    maps music network news office online player radio region reserves scanner school spokesman spokesperson
    spokeswoman sports stadium staff studio studios subsidiary supporters team tower tv uk unit us women
    youth"""
)
"""Words that make a name that of a part, a product or a daughter of what stands before them."""

TRADES = _split_words(
    """aerospace airlines airways and automotive aviation bank biologics biotech brewery broadcasting
    brothers capital chemicals club communications company construction corporation electric electronics
    energy engineering enterprises entertainment fc financial foods foundry gas group healthcare holding
    holdings industries insurance laboratories lines logistics manufacturing medical mining motor motors
    oil partners party petroleum pharma pharmaceutical pharmaceuticals power press publishing railways
    retail robotics rovers securities services shipping software solutions sports steel systems technologies
    technology telecom textiles trading transport united ventures wanderers works"""
)
"""Words that say what a firm or a club does; its name before them means the same firm."""

LANDMARKS = _split_words("arena bridge dome observatory reef satellite stadium telescope theater theatre")
"""Words that say what a building or a device is; its name before them means the same one."""

PLACE_OPENINGS = frozenset(
    {("isle", "of"), ("island", "of"), ("river",), ("republic", "of"), ("kingdom", "of"), ("state", "of")}
    | {("principality", "of"), ("commonwealth", "of"), ("province", "of"), ("town", "of"), ("village", "of")}
)
"""What may stand before a place's name without making it another place."""

OFFICE_NOUNS = _split_words("ministry department office bureau directorate")
"""Offices of a state, which are named before or behind what they are for."""

OFFICE_WORDS = _split_words(
    """acting analyst assistant attorney author boy candidate captain chair chairman chairperson chief co
    coach committee current deputy director engineer executive expert father first foreign former
    founder general girl governor head incumbent journalist judge lawyer lead leader leading man manager
    mayor member members minister mother new nominee officer official old owner partner player president
    presidential press prime producer professor public record representative researcher scientist second
    secretary senator senior son speaker spokesman spokesperson spokeswoman state study team vice wife
    woman writer young"""
)
"""Words of offices and relations that many people hold: together they name nobody ("former president")."""

POSTS = _split_words(
    """administrator anchor auditor bursar ceo cfo cio clerk cmo comptroller conductor controller coo
    coordinator correspondent counsel counsellor counselor cto curator delegate envoy evp foreman headmaster
    headmistress host ombudsman pm principal provost registrar rep spouse strategist supervisor svp treasurer
    trustee undersecretary vp"""
)
"""More words for what somebody holds: no name, however they are written."""

HONOURS = _split_words(
    "mvp champion laureate medallist medalist winner awardee honoree honouree recipient star"
)
"""Words for whoever has won or been given something: no name of the one who has."""

COMMON_WORDS = (
    _split_words(
        """army assembly authority authorities business cabinet chamber commons congress constitution crown
        culture defence defense economy education embassy event executives family finance firm force forces
        game games health home house interior internet justice labour law league lords match media military
        navy network news parliament people politics press project province region representatives republic
        season security service services share site stadium stage states street supreme trade treasury
        tribunal village war water web website writers"""
    )
    | GENERIC_WORDS
    | OFFICE_WORDS
    | FUNCTION_WORDS
)
"""Words of which names are made that many things have ("House of Representatives", "Supreme Court")."""

KNOWN_ABBREVIATIONS = {
    "US": "united states",
    "USA": "united states",
    "UK": "united kingdom",
    "UAE": "united arab emirates",
    "EU": "european union",
    "UN": "united nations",
}
"""What news never spell out: the long name's key for an acronym that no article declares otherwise."""

PERSON_ENDINGS = (
    "er", "or", "ist", "ian", "ant", "man", "woman", "eur", "ee", "ess", "crat", "eon", "hero", "star"
)  # fmt: skip
"""Ends of words for what a person does or is."""


ARTICLES = frozenset({"the", "a", "an"})
MALE_HONORIFICS = frozenset({"mr", "sir"})
FEMALE_HONORIFICS = frozenset({"mrs", "ms", "dame"})
_TITLES_OF_MEN = frozenset({"baron", "count", "duke", "earl", "king", "lord", "prince"})
_TITLES_OF_WOMEN = frozenset({"baroness", "countess", "duchess", "lady", "princess", "queen"})
HONORIFICS = frozenset({"dr", "prof", "professor", "mx"}) | MALE_HONORIFICS | FEMALE_HONORIFICS

# "Co" or "AB" may be ordinary words in lower case; "plc" and "gmbh" can't be.
_LEGAL_IN_ANY_CASE = frozenset({"inc", "ltd", "plc", "gmbh", "llc", "llp", "oyj", "sarl", "pty", "pvt"})
_LEGAL_WITH_CAPITAL = frozenset(
    {"co", "corp", "corporation", "incorporated", "limited", "ab", "ag", "sa", "se", "nv", "bv", "oy", "spa"}
)
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u02bb\u2032\u00b4`", "'"))
_LETTERS_AND_MARKS = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe"}
    | dict.fromkeys("™®©℠\u00ad\u200b\u200c\u200d\ufeff", "")
)
_POSSESSIVE = re.compile(r"(?<=[^\W_])'s(?![^\W_])", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INITIALS = re.compile(r"(?<![^\W_])[^\W\d_](?:\.[^\W\d_])+(?![^\W_])\.?")
_LOOSE_SIGN = re.compile(r"(?<![^\W_])[#%]")
_WORD = re.compile(r"([^\s.]+)(\.?)")


class _Word(NamedTuple):
    """A word in lower case and how it was written: "AB" has a capital, "Dr" and "dr." look like titles."""

    text: str
    capital: bool
    like_title: bool


@lru_cache(maxsize=1 << 16)
def normal_form(name: str) -> str:
    """The key under which spellings of one name meet: "The Brel Co." and "Brel" are both "brel".

    A title, a legal suffix or "St" counts only when it is written as one ("Dr", "dr.", but not the "DR" of
    "DR Congo"). The result holds lower-case words with single blanks; it is empty only for a blank name, and
    taking it twice changes nothing.
    """
    words = _without_frame(_words(_plain(name)))
    last = len(words) - 1
    unified = (
        "saint" if word.text == "st" and word.like_title and index < last else word.text
        for index, word in enumerate(words)
    )
    return " ".join(unified) or " ".join(_fold(name).split())


def _plain(name: str) -> str:
    """`name` without accents, apostrophes, the dots of initials and any other punctuation than dots."""
    text = unicodedata.normalize("NFKC", name.translate(_APOSTROPHES).translate(_LETTERS_AND_MARKS))
    text = _without_accents(text.translate(_APOSTROPHES)).translate(_LETTERS_AND_MARKS)
    text = _POSSESSIVE.sub("", text).replace("'", "").replace("&", " and ")
    text = _THOUSANDS.sub("", text)
    text = _INITIALS.sub(lambda found: found.group().replace(".", ""), text)
    text = _LOOSE_SIGN.sub(" ", text)
    return "".join(character if _belongs_to_word(character) else " " for character in text)


def _words(text: str) -> list[_Word]:
    words = []
    for written, dot in _WORD.findall(text):
        capital = bool(dot) or written[0].isupper()
        like_title = bool(dot) or (written[0].isupper() and not written[1:2].isupper())
        words.append(_Word(_fold(written), capital, like_title))
    return [word for word in words if word.text]


def _without_frame(words: list[_Word]) -> list[_Word]:
    """`words` without leading articles and titles and trailing legal suffixes; never fewer than one."""
    start, end = 0, len(words)
    while end - start > 1 and _opens(words[start]):
        start += 1
    while end - start > 1 and _is_legal_suffix(words[end - 1]):
        end -= 1
        if end - start > 1 and words[end - 1].text == "and":
            end -= 1
    return words[start:end]


def _opens(word: _Word) -> bool:
    return word.text in ARTICLES or (word.like_title and word.text in HONORIFICS)


def _is_legal_suffix(word: _Word) -> bool:
    return word.text in _LEGAL_IN_ANY_CASE or (word.capital and word.text in _LEGAL_WITH_CAPITAL)


def _belongs_to_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LNM" or category == "Sc" or character in "+#%."


def _without_accents(text: str) -> str:
    bare = (c for c in unicodedata.normalize("NFD", text) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFKC", "".join(bare))


def _fold(word: str) -> str:
    return _without_accents(unicodedata.normalize("NFKC", word).casefold())


_LONGEST_ACRONYM = 8


def is_acronym(text: str) -> bool:
    """Whether `text` is written like an acronym: "HVMA", "U.S.", "DoJ", "MI5" are; "Nato", "I" are not."""
    letters = text.replace(".", "")
    return (
        2 <= len(letters) <= _LONGEST_ACRONYM
        and letters[0].isupper()
        and letters.replace("&", "").isalnum()
        and 2 * sum(map(str.isupper, letters)) > len(letters)
    )


def initials(name: str) -> frozenset[str]:
    """The first letters of the words of `name`, in capitals, with and without its function words."""
    words = normal_form(name).split()
    content = [word for word in words if word not in FUNCTION_WORDS]
    return frozenset("".join(word[0] for word in chosen).upper() for chosen in (words, content))


def abbreviates(acronym: str, name: str) -> bool:
    """Whether the letters of `acronym` run through a name of several words, the first at a word's start.

    Initials themselves ("S&P") are no name of several words, though their "&" is read as one.
    """
    if "&" in name and is_acronym(name):
        return False
    letters = normal_form(acronym).replace(" ", "")
    words = normal_form(name).split()
    if len(words) < 2:
        return False
    if letters.upper() in initials(name):
        return True
    return any(_runs_through(letters, " ".join(words[start:])) for start in range(len(words)))


def without_article(name: str) -> str:
    """`name` without its first word, if that is an article and not all there is."""
    first, _, rest = name.strip().partition(" ")
    return rest.strip() if rest and first.casefold() in ARTICLES else name.strip()


def gender_of_honorific(name: str) -> str:
    """ "m" for "Mr Brel" and "Lord Brel", "f" for "Mrs Brel" and "Baroness Brel", else empty."""
    first, _, rest = name.strip().partition(" ")
    title = first.casefold().rstrip(".")
    if not rest:
        return ""
    if title in MALE_HONORIFICS | _TITLES_OF_MEN:
        return "m"
    return "f" if title in FEMALE_HONORIFICS | _TITLES_OF_WOMEN else ""


def _runs_through(letters: str, text: str) -> bool:
    if not letters or text[:1] != letters[0]:
        return False
    remaining = iter(text)
    return all(letter in remaining for letter in letters)
