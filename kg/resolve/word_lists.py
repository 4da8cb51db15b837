"""Closed lists of English words that the rules of resolution look at.

Closed lists of words in people's names: titles, suffixes, short forms of given names.
"""

from collections.abc import Mapping
from types import MappingProxyType

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


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTION_WORDS = _words("of the and for in on at to de la du von")
"""Words that initials may leave out ("Bank of England", "BE")."""

DETERMINERS = _words("his her its their our my your this that these those some")

GENERIC_WORDS = _words(
    """agency association bank board bureau city club college commission committee company council county
    court department federation foundation fund government group hospital house institute ministry
    museum office party police school senate society team union university american british european
    federal international national new royal north south east west united state central first town world
    saint"""
)
"""Words that many organisations share: alone they name none of them."""

ORGANISATION_TAILS = _words(
    """airlines airways athletic bank city club college company corporation cricket fc football group
    holdings hospital international museum newspaper party rovers rugby school sports town united
    university wanderers"""
)
"""Words that end an organisation's full name without making it a part of the organisation."""

PART_WORDS = _words(
    """academy africa america arena asia australia board branch canada center centre china committee council
    department desk division europe fans fleet headquarters india international japan lab laboratory library
    maps music network news office online player radio region reserves scanner school spokesman spokesperson
    spokeswoman sports stadium staff studio studios subsidiary supporters team tower tv uk unit us women
    youth"""
)
"""Words that make a name that of a part, a product or a daughter of what stands before them."""

TRADES = _words(
    """aerospace airlines airways and automotive aviation bank biologics biotech brewery broadcasting
    brothers capital chemicals club communications company construction corporation electric electronics
    energy engineering enterprises entertainment fc financial foods foundry gas group healthcare holding
    holdings industries insurance laboratories lines logistics manufacturing medical mining motor motors
    oil partners party petroleum pharma pharmaceutical pharmaceuticals power press publishing railways
    retail robotics rovers securities services shipping software solutions sports steel systems technologies
    technology telecom textiles trading transport united ventures wanderers works"""
)
"""Words that say what a firm or a club does; its name before them means the same firm."""

LANDMARKS = _words("arena bridge dome observatory reef satellite stadium telescope theater theatre")
"""Words that say what a building or a device is; its name before them means the same one."""

PLACE_OPENINGS = frozenset(
    {("isle", "of"), ("island", "of"), ("river",), ("republic", "of"), ("kingdom", "of"), ("state", "of")}
    | {("principality", "of"), ("commonwealth", "of"), ("province", "of"), ("town", "of"), ("village", "of")}
)
"""What may stand before a place's name without making it another place."""

OFFICE_NOUNS = _words("ministry department office bureau directorate")
"""Offices of a state, which are named before or behind what they are for."""

OFFICE_WORDS = _words(
    """acting analyst assistant attorney author boy candidate captain chair chairman chairperson chief co
    coach committee current deputy director engineer executive expert father first foreign former
    founder general girl governor head incumbent journalist judge lawyer lead leader leading man manager
    mayor member members minister mother new nominee officer official old owner partner player president
    presidential press prime producer professor public record representative researcher scientist second
    secretary senator senior son speaker spokesman spokesperson spokeswoman state study team vice wife
    woman writer young"""
)
"""Words of offices and relations that many people hold: together they name nobody ("former president")."""

POSTS = _words(
    """administrator anchor auditor bursar ceo cfo cio clerk cmo comptroller conductor controller coo
    coordinator correspondent counsel counsellor counselor cto curator delegate envoy evp foreman headmaster
    headmistress host ombudsman pm principal provost registrar rep spouse strategist supervisor svp treasurer
    trustee undersecretary vp"""
)
"""More words for what somebody holds: no name, however they are written."""

HONOURS = _words("mvp champion laureate medallist medalist winner awardee honoree honouree recipient star")
"""Words for whoever has won or been given something: no name of the one who has."""

COMMON_WORDS = (
    _words(
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
