"""Closed lists of words in people's names: titles, suffixes, short forms of given names."""

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
