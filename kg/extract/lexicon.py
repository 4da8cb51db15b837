"""Closed word classes that the rules look words up in."""

from kg.model import EntityType


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


HONORIFICS = _words(
    "Mr Mrs Ms Miss Dr Sir Dame President Minister Prime Senator Governor General Judge Professor Captain "
    "Chancellor Secretary Chief Deputy Director Mayor Ambassador Attorney Colonel Major Lieutenant Sergeant "
    "Detective Inspector Officer Coach Representative Congressman Congresswoman Rep Sen Gov Gen Prof "
    "Justice Spokesperson Spokesman Spokeswoman Foreign Health Vice Manager Chairman Commissioner"
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
FEMALE_TITLES = _words("mrs ms miss lady dame queen princess")

ROLE_WORDS = _words(
    "speaker attorney district officer superintendent commissioner chairman chairwoman chair leader "
    "spokesperson spokesman spokeswoman premier sheriff senators congressman congresswoman representative "
    "ceo cfo editor executive head commander admiral whip president minister senator governor secretary "
    "justice general mayor"
)
"""Capitalised offices that are no names by themselves."""

NAME_SUFFIXES = _words("jr sr ii iii iv")
NAME_PARTICLES = _words("de van von der den la le di da al bin ben of the")

HE = _words("he him his himself")
SHE = _words("she her hers herself")
IT = _words("it its itself")
THEY = _words("they them their themselves")
REFLEXIVE = _words("himself herself itself themselves")
FIRST_AND_SECOND_PERSON = _words("i me my we us our you your myself ourselves")
RELATIVE_PRONOUNS = _words("who which that whom")

EMPTY_HEADS = _words(
    "it this that these those there which who whom what he she they i we you one some many most all others "
    "other each both him her them us me something anything nothing someone everyone anyone everything none "
    "more less much any such another thing way lot part number kind sort type addition fact case order time "
    "times result example people same first second third latter former itself himself herself themselves "
    "rest majority half dozens hundreds thousands millions variety range series couple pair group set "
    "amount bit point end top bottom side place today yesterday tomorrow day week month year years days "
    "weeks months moment period step while whole total"
)
"""Heads of noun phrases that name nothing outside their context."""

SETTING_NOUNS = _words(
    "response effect addition favor favour front behalf support order light wake charge part case place "
    "comment statement terms relation connection exchange return event absence presence course time regard "
    "respect accordance honor honour memory search view fact group number series lieu spite"
)
"""Nouns of complex prepositions ("in response to"): the real object comes behind them."""

REPORTING_VERBS = _words(
    "say tell report state claim announce add note argue suggest believe think confirm explain allege "
    "insist warn describe estimate indicate write comment reveal remark admit declare find show acknowledge "
    "assert maintain predict conclude learn discover testify accuse recall tweet post contend complain vow "
    "swear remember assure hint stress emphasise emphasize agree"
)
"""Verbs whose clause is what their subject says."""

UNREAL_VERBS = _words(
    "hope hop wish fear doubt wonder deny dispute want imagine pretend propose demand recommend urge ask "
    "request pray expect ensure guarantee consider suppose assume"
)
"""Verbs whose clause need not be so; "hop" is what the lemmatiser makes of "hoped"."""

UNREAL_MODALS = _words("would could might may should can must")
NEGATIVE_ADVERBS = _words("never hardly rarely seldom barely scarcely")
DOUBT_ADVERBS = _words("nearly almost allegedly reportedly supposedly possibly perhaps probably")
OBJECT_CONTROL_VERBS = _words(
    "ask tell order force urge allow persuade invite encourage help require permit enable want convince "
    "instruct advise lead cause compel warn teach make let see hear have appoint choose elect name call "
    "authorise authorize oblige"
)
"""Verbs whose object does what the infinitive says ("asked X to go")."""

FORMERLY = _words("formerly previously once then")

INTRANSITIVE_VERBS = _words(
    "die go come rise fall live retire return arrive depart happen occur appear disappear remain become "
    "collapse sit stand sleep stay travel graduate emerge"
)
"""Verbs that have no passive, whatever stands before "and"."""

NAMING_VERBS = _words("call name dub label consider term nickname title rename")

NATIONAL_ADJECTIVE_TYPES: frozenset[EntityType] = frozenset({"NORP", "GPE", "ORG", "LOC"})

KNOWN_ORGANISATIONS = _words(
    "Twitter Facebook Instagram YouTube Google Reuters Wikinews Snapchat WhatsApp Uber Tesla Boeing Netflix "
    "Amazon TikTok Microsoft OpenAI BBC CNN AFP AP UEFA FIFA NASA"
)
"""Names that the recogniser types at random."""

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
