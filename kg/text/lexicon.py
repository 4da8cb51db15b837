"""Closed word classes that the rules look words up in.

Word lists that lie beside this package as text files.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, get_args

from kg.model import EntityType

Gender = Literal["m", "f"]

_TYPES: Mapping[str, EntityType] = MappingProxyType({kind: kind for kind in get_args(EntityType)})


@cache
def countries() -> Mapping[str, str]:
    """Country by demonym or short form ("French" -> "France")."""
    table: dict[str, str] = {}
    for line in _lines("demonyms.txt"):
        adjective, _, country = line.partition(": ")
        table[adjective] = country
    return MappingProxyType(table)


@cache
def sovereign() -> frozenset[str]:
    """The countries' names."""
    return frozenset(countries().values())


def is_country(name: str) -> bool:
    """Whether a name is a country's, also a short one: "US"."""
    return countries().get(name, name) in sovereign()


@cache
def states() -> frozenset[str]:
    """The names of countries and of large parts of countries, in which other places lie."""
    return sovereign() | set(_places("STATE"))


@cache
def towns() -> frozenset[str]:
    """Towns that news often name, without the parts of one."""
    return frozenset(_places("TOWN")) - {"Brooklyn", "Manhattan", "Hollywood", "Queens"}


@cache
def places() -> Mapping[str, EntityType]:
    """Type by name, of countries and of other places that are known without the article."""
    table: dict[str, EntityType] = dict.fromkeys((*states(), *_places("TOWN")), "GPE")
    table.update(dict.fromkeys(_places("LOC"), "LOC"))
    return MappingProxyType(table)


def _places(wanted: str) -> Iterator[str]:
    for line in _lines("places.txt"):
        kind, _, names = line.partition(" ")
        if kind == wanted:
            yield from (name.strip() for name in names.split(";"))


@cache
def genders() -> Mapping[str, Gender]:
    """Grammatical gender by given name, for names that have only one."""
    table: dict[str, Gender] = {}
    for line in _lines("given_names.txt"):
        mark, *names = line.split()
        gender: Gender = "m" if mark == "m" else "f"
        table.update(dict.fromkeys(names, gender))
    return MappingProxyType(table)


@cache
def name_words() -> tuple[Mapping[str, EntityType], Mapping[str, EntityType]]:
    """Type by the last word of a name ("River") and by its first ones ("Mount", "Battle of")."""
    ends: dict[str, EntityType] = {}
    starts: dict[str, EntityType] = {}
    for line in _lines("name_words.txt"):
        where, kind, *words = line.split()
        table = ends if where == "end" else starts
        table.update(dict.fromkeys((word.replace("_", " ") for word in words), _TYPES[kind]))
    return MappingProxyType(ends), MappingProxyType(starts)


def _lines(name: str) -> list[str]:
    text = (files("kg.text") / "data" / name).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HONORIFICS = _words(
    "Mr Mrs Ms Miss Dr Sir Dame President Minister Prime Senator Governor General Judge Professor Captain "
    "Chancellor Secretary Chief Deputy Director Mayor Ambassador Attorney Colonel Major Lieutenant "
    "Sergeant Detective Inspector Officer Coach Representative Congressman Congresswoman Rep Sen Gov Gen "
    "Prof Justice Spokesperson Spokesman Spokeswoman Foreign Health Vice Manager Chairman Commissioner "
    "Representatives Senators MP MEP Taoiseach Premier Councillor Councilman Councilwoman Constable Sgt "
    "Capt Lt Col Cpl Rev Reverend Assemblyman Scientist Researcher Archbishop Bishop Cardinal Coroner "
    "Sheriff Commander Admiral Emeritus"
)
"""Titles that stand before a person's name and do not belong to it (full stop stripped); royal ones do."""

ADDRESS_FORMS = _words("mr mrs ms miss dr sir dame lord lady")
"""Titles that say nothing about an office."""

TITLES_OF_PEOPLE = ADDRESS_FORMS | _words(
    "president senator governor professor prof judge minister chancellor mayor congressman congresswoman "
    "captain sergeant detective sen gov rep"
)
"""Titles before which no organisation stands."""

GIVEN_NAMES_OF_PLACES = _words(
    "Virginia Victoria Florence Madison Charlotte Alexandria Christian Dean Frank Mercedes Grace Rose Guy "
    "Ray Gary Jean Roman Logan Salvador Regina Stanley Madonna Jasmine Iris Francisco Diego"
)
"""Given names that as often open the name of a place or an organisation."""

GENERIC_OFFICES = _words(
    "official officials character resident victim member name user fellow friend colleague contestant "
    "participant suspect man woman boy girl us u.s."
)
"""Words before a name that tell nobody apart."""

MALE_TITLES = _words("mr sir lord king prince")
FEMALE_TITLES = _words("mrs ms miss lady dame queen princess baroness countess duchess")

ROLE_WORDS = _words(
    "speaker attorney district officer superintendent commissioner chairman chairwoman chair leader "
    "spokesperson spokesman spokeswoman premier sheriff senators congressman congresswoman representative "
    "ceo cfo editor executive head commander admiral whip president minister senator governor secretary "
    "justice general mayor"
)
"""Capitalised offices that are no names by themselves."""

NAME_SUFFIXES = _words("jr sr ii iii iv")
POST_NOMINALS = _words(
    "jr sr obe mbe cbe kbe dbe gbe cb kcb gcb om ch cmg kcmg gcmg cvo kcvo gcvo mvo lvo vc gc dso dsc dfc "
    "mc qc kc sc mp mep msp mla phd dphil dsc md mba ma msc llb llm frs fba frcs frsa esq jd cpa kg"
)
"""Letters behind a person's name for an honour, a degree, a seat or an age (full stops stripped)."""
NAME_PARTICLES = _words("de van von der den la le di da al bin ben of the")

HE = _words("he him his himself")
SHE = _words("she her hers herself")
IT = _words("it its itself")
THEY = _words("they them their themselves")
REFLEXIVE = _words("himself herself itself themselves")
NOT_NAMES = _words(
    "utc gmt bst est edt cst cdt pst pdt mst mdt cet cest ist jst akst hst aest a.m p.m am pm monday "
    "tuesday wednesday thursday friday saturday sunday january february march april june july august "
    "september october november december mr mrs ms dr image photo"
)
"""Capitals that name nothing one could say something of."""

FIRST_AND_SECOND_PERSON = _words("i me my we us our you your myself ourselves")
RELATIVE_PRONOUNS = _words("who which that whom")

EMPTY_HEADS = _words(
    "it this that these those there which who whom what he she they i we you one some many most all "
    "others other each both him her them us me something anything nothing someone everyone anyone "
    "everything none more less much any such another thing way lot part number kind sort type addition "
    "fact case order time times result example people same first second third latter former itself "
    "himself herself themselves rest majority half dozens hundreds thousands millions variety range "
    "series couple pair group set amount bit point end top bottom side place today yesterday tomorrow day "
    "week month year years days weeks months moment period step while whole total"
)
"""Heads of noun phrases that name nothing outside their context."""

SETTING_NOUNS = _words(
    "response effect addition favor favour front behalf support order light wake charge part case place "
    "comment statement terms relation connection exchange return event absence presence course time "
    "regard respect accordance honor honour memory search view fact group number series lieu spite "
    "occasion account condition behest request pace"
)
"""Nouns of complex prepositions ("in response to"): the real object comes behind them."""

REPORTING_VERBS = _words(
    "say tell report state claim announce add note argue suggest believe think confirm explain allege "
    "insist warn describe estimate indicate write comment reveal remark admit declare find show "
    "acknowledge assert maintain predict conclude learn discover testify accuse recall tweet post contend "
    "complain vow swear remember assure hint stress emphasise emphasize agree observe caution suspect "
    "insinuate imply speculate joke boast rumor rumour"
)
"""Verbs whose clause is what their subject says."""

UNREAL_VERBS = _words(
    "hope hop wish fear doubt wonder want imagine pretend propose demand recommend urge ask request pray "
    "expect ensure guarantee consider suppose assume"
)
"""Verbs whose clause need not be so; "hop" is what the lemmatiser makes of "hoped"."""

UNREAL_MODALS = _words("would could might may should can must")
NEGATIVE_ADVERBS = _words("never hardly rarely seldom barely scarcely")
DOUBT_ADVERBS = _words("nearly almost possibly perhaps probably maybe potentially")
HEARSAY_ADVERBS = _words("allegedly reportedly supposedly purportedly apparently presumably")
"""Adverbs that put a fact into the mouth of somebody who isn't named."""

HEARSAY_NOUNS = _words(
    "report claim allegation rumor rumour suggestion accusation speculation belief suspicion story theory "
    "charge insinuation assertion assumption notion myth hoax conspiracy idea"
)
"""Nouns whose clause, with or without "that", is what somebody says."""

UNTRUE_ADJECTIVES = _words("false untrue wrong incorrect unlikely doubtful unclear uncertain impossible")
"""What "it is ... that" says of a clause that need not be so."""

FICTION_NOUNS = _words(
    "novel film movie episode play satire parody sketch story series comic manga game poem opera"
)
"""Works whose plot is told in the present: "in the novel, X marries Y"."""

SATIRICAL = _words("satirical fictional fictitious spoof mock hoax")
"""What makes of a text one that states nothing."""

DENYING_VERBS = _words("deny dispute dismiss reject refute disprove")
"""Verbs that say of a clause that it is not so."""

FAILING_VERBS = _words("fail refuse decline neglect stop cease quit deny avoid forget omit discontinue")
"""Verbs whose infinitive or participle did not happen, or happens no more."""

WISHING_VERBS = _words("hope hop wish want wait long prefer love like")
"""Verbs whose infinitive is only wished for."""

PLANNING_VERBS = _words("plan intend aim seek try attempt promise pledge threaten offer agree prepare")
"""Verbs whose infinitive is meant to be done and may never be."""

OBJECT_CONTROL_VERBS = _words(
    "ask tell order force urge allow persuade invite encourage help require permit enable want convince "
    "instruct advise lead cause compel warn teach make let see hear have appoint choose elect name call "
    "authorise authorize oblige"
)
"""Verbs whose object does what the infinitive says ("asked X to go")."""

FORMERLY = _words("formerly previously once then")
NO_LONGER = _words("former ex")
"""Adjectives that say that an office or a bond is over."""

INTRANSITIVE_VERBS = _words(
    "die go come rise fall live retire return arrive depart happen occur appear disappear remain become "
    "collapse sit stand sleep stay travel graduate emerge"
)
"""Verbs that have no passive, whatever stands before "and"."""

EVENTFUL_VERBS = INTRANSITIVE_VERBS | _words(
    "resign marry debut launch start begin end open close expire win lose crash sink erupt explode "
    "divorce retire escape withdraw disband merge dissolve land surrender abdicate premiere premier "
    "vanish form flee"
)
"""Verbs that with a date alone say enough: "resigned on"."""

MAKING_VERBS = _words(
    "found cofound co-found establish form create build construct open launch release publish write "
    "record produce direct compose design invent develop introduce hold host sign adopt ratify film shoot "
    "premiere discover arrest kill murder assassinate execute appoint elect marry hire capture behead "
    "abduct kidnap"
)
"""Verbs whose time and place are their object's as well: "released the album in May"."""

OUTCOME_VERBS = _words("result lead cause make bring leave mean allow total include force prompt")
"""Verbs whose participle behind a clause ("..., resulting in") speaks of the clause, not of its subject."""

EMPTY_VERBS = _words(
    "accord age look mean matter depend regard concern let let's seem tend need want try like love"
)
"""Verbs that tell no event and no bond: "aged 78", "according to"."""

DIRECTIONS = _words("forward back away together ahead aside apart out up down off over forth")
"""Adverbs that change what the verb before them means."""

NAMING_VERBS = _words("call name dub label consider term nickname title rename")

NATIONAL_ADJECTIVE_TYPES: frozenset[EntityType] = frozenset({"NORP", "GPE", "ORG", "LOC"})

KNOWN_ORGANISATIONS = _words(
    "Twitter Facebook Instagram YouTube Google Reuters Wikinews Snapchat WhatsApp Uber Tesla Boeing "
    "Netflix Amazon TikTok Microsoft OpenAI BBC CNN AFP AP UEFA FIFA NASA"
) | {"Lib Dem", "Lib Dems", "Liberal Democrats"}
"""Names that the recogniser types at random."""

PEOPLES_OF_COUNTRY = frozenset(
    f"{first}{joint}American"
    for first in ("African", "Asian", "Native", "Hispanic", "Latin", "Mexican", "Irish", "Italian", "Black")
    for joint in (" ", "-")
)
"""Groups that somebody is born into, not joins."""

KIN_NOUNS = _words(
    "son daughter father mother brother sister wife husband spouse widow child parent nephew niece cousin "
    "uncle aunt grandson granddaughter grandfather grandmother friend girlfriend boyfriend fiancé fiancée "
    "stepson stepdaughter stepfather stepmother stepbrother stepsister half-brother half-sister son-in-law "
    "daughter-in-law father-in-law mother-in-law brother-in-law sister-in-law"
)
"""Nouns for relatives, lovers and friends: somebody's."""

RELATIONAL_NOUNS = KIN_NOUNS | _words(
    "president minister governor mayor senator representative congressman congresswoman secretary "
    "chancellor premier judge attorney justice sheriff commissioner superintendent chief head leader "
    "chair chairman chairwoman chairperson manager coach captain founder co-founder cofounder owner "
    "co-owner member spokesperson spokesman spokeswoman deputy vice-president ceo cfo officer official "
    "ambassador speaker whip king queen prince princess duke duchess colleague partner successor "
    "predecessor victim suspect survivor winner loser runner-up participant contestant candidate nominee "
    "employee employer student assistant aide adviser advisor associate co-author author co-host host "
    "rival opponent neighbour neighbor fan supporter critic descendant heir ancestor native resident "
    "citizen capital part installment instalment sequel subsidiary division branch unit commander general "
    "party deal"
)
"""Nouns that leave something open by themselves: president of what, son of whom."""

PLACES_OF_REGIONS = _words(
    "capital part division branch unit resident native neighbour neighbor partner rival"
)
"""Relational nouns that are said of places."""

OFFICES = (
    RELATIONAL_NOUNS - PLACES_OF_REGIONS - _words("deal installment instalment part party sequel subsidiary")
)
"""Relational nouns that only people are."""

VAGUE_ADJECTIVES = _words(
    "one several various many numerous few certain different other another similar same such corresponding "
    "own further additional new recent latest previous former current next last first second third final "
    "only key main major important significant good great best better big bigger biggest large larger "
    "largest more most countless multiple hypothetical particular specific possible potential related "
    "relevant respective following above latter entire whole nearly almost about much little able right "
    "leading top"
)
"""Adjectives that need their article: "the other team", "a recent film"."""

POINTING_ADJECTIVES = _words(
    "local regional nearby neighbouring neighboring surrounding foreign then opposing remaining fellow"
)
"""Adjectives that point at a place or a time which the phrase leaves out."""

VAGUE_NOUNS = _words(
    "deal change changes move decision announcement statement comment remark effort attempt issue matter "
    "problem question situation development process action step measure plan proposal idea concern "
    "interest role position level rate amount scenario circumstance ground reason purpose basis area "
    "location site scene event incident thing aspect element factor form manner approach response result "
    "effect impact work job task attention look chance opportunity ability right need use share percent "
    "percentage report story news message letter word term version item piece sign evidence detail "
    "mission motivation motive information condition state status moment life death body hand eye face "
    "minute hour"
)
"""Nouns that a verb's object is rarely specific with."""

SETTLEMENT_NOUNS = _words(
    "city town village state province county municipality district island region suburb commune republic"
)
"""Nouns that say nothing new before "of" and a place's name: "the city of X"."""

REGIMES = _words("Nazi Vichy Soviet Fascist Imperial Tsarist Weimar Communist Francoist")
"""What stands before a country's name for the state that it was then."""

PARTIES = {
    "Republican": "Republican Party",
    "Republicans": "Republican Party",
    "Democrat": "Democratic Party",
    "Democrats": "Democratic Party",
    "Democratic": "Democratic Party",
}
"""The party by the adjective that the recogniser takes for a people."""

OTHER_PARTIES = frozenset({"Liberal", "Lib", "Social", "Christian", "Free", "National", "Progressive"})
"""What stands before such an adjective and makes it another party."""


def is_other_party(word: str, before: str) -> bool:
    """Whether what stands before an adjective of `PARTIES` makes it another party: a Liberal Democrat is no
    Democrat, and a Democratic-Republican no Republican."""
    return word in PARTIES and (before.endswith("-") or before in OTHER_PARTIES)


RANKS = _words(
    "king queen emperor empress prince princess duke duchess archduke archduchess count countess earl emir "
    "sultan infante infanta marquess marquis margrave landgrave baron baroness regent tsar member"
)
"""Ranks that stand before a name and belong to it, or before "of" and say what someone is."""

SIDES = _words(
    "northern southern eastern western central northeastern northwestern southeastern southwestern "
    "north-eastern north-western south-eastern south-western upper lower downtown rural suburban"
)
"""Adjectives in small letters that say in which part of a place, and are no part of its name."""

_NOUNS: tuple[tuple[EntityType, str], ...] = (
    (
        "ORG",
        "company firm organisation organization agency club team band party university corporation bank "
        "school college newspaper magazine ministry airline committee council label studio institute "
        "channel hospital league charity union",
    ),
    ("GPE", "city country town state village nation county capital municipality province republic kingdom"),
    ("WORK", "film movie book album song novel game single opera play episode sequel soundtrack poem"),
    (
        "PERSON",
        "actor actress singer president minister politician writer author director player footballer man "
        "woman king queen musician artist senator governor coach scientist painter composer businessman "
        "lawyer judge striker midfielder goalkeeper defender manager captain consultant journalist activist "
        "drummer guitarist physician doctor engineer economist novelist poet comedian rapper songwriter "
        "screenwriter filmmaker boxer swimmer cyclist cricketer golfer skier runner athlete diplomat "
        "entrepreneur historian philosopher mathematician physicist chemist biologist astronaut soldier "
        "officer bishop priest monk duke prince princess emperor chef model dancer",
    ),
    ("EVENT", "war battle tournament championship election festival race"),
    ("LOC", "river lake mountain island sea ocean valley"),
    ("FAC", "building bridge airport stadium museum church temple tower"),
)
NOUN_KINDS: dict[str, EntityType] = {noun: kind for kind, nouns in _NOUNS for noun in nouns.split()}
"""What a definite nominal ("the company") can stand for."""

FITTING_TYPES: dict[EntityType, frozenset[EntityType]] = {
    "GPE": frozenset({"GPE", "LOC", "FAC"}),
    "LOC": frozenset({"LOC", "GPE"}),
    "FAC": frozenset({"FAC", "ORG", "LOC"}),
    "ORG": frozenset({"ORG", "PRODUCT"}),
    "PERSON": frozenset({"PERSON"}),
    "WORK": frozenset({"WORK", "PRODUCT", "MISC", "ORG"}),
    "EVENT": frozenset({"EVENT", "MISC"}),
}
"""Which recognised types pass for a kind of noun."""

PROFESSIONS = frozenset(noun for noun, kind in NOUN_KINDS.items() if kind == "PERSON") - _words(
    "king queen prince princess duke emperor man woman"
)
"""What people do; unlike "Prince", no part of a name even with a capital."""

ENDINGS_OF_PEOPLE = tuple(
    _words(
        "er or ist ian man woman ant ent eer ess ete yst ary ive chief head fellow friend star aide "
        "expert critic figure wife son victim pilot chair mate cop nurse relative hero king queen child "
        "native person spouse"
    )
)
"""How nouns end that may say what people are."""

SURE_ENDINGS_OF_PEOPLE = ("cist", "logist", "alist", "woman", "sman", "ician")
"""Endings that only nouns for people have."""
