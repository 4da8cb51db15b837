"""Closed word classes that the rules look words up in."""

from kg.model import EntityType

HONORIFICS = frozenset(
    ["Mr", "Mrs", "Ms", "Miss", "Dr", "Sir", "Dame", "President", "Minister", "Prime", "Senator", "Governor", "General", "Judge", "Professor", "Captain", "Chancellor", "Secretary", "Chief", "Deputy", "Director", "Mayor", "Ambassador", "Attorney", "Colonel", "Major", "Lieutenant", "Sergeant", "Detective", "Inspector", "Officer", "Coach", "Representative", "Congressman", "Congresswoman", "Rep", "Sen", "Gov", "Gen", "Prof", "Justice", "Spokesperson", "Spokesman", "Spokeswoman", "Foreign", "Health", "Vice", "Manager", "Chairman", "Commissioner"]
)
"""Titles that stand before a person's name and do not belong to it (full stop stripped); royal ones do."""

ADDRESS_FORMS = frozenset({"mr", "mrs", "ms", "miss", "dr", "sir", "dame", "lord", "lady"})
"""Titles that say nothing about an office."""

MALE_TITLES = frozenset({"mr", "sir", "lord", "king", "prince"})
FEMALE_TITLES = frozenset({"mrs", "ms", "miss", "lady", "dame", "queen", "princess"})

ROLE_WORDS = frozenset(
    ["speaker", "attorney", "district", "officer", "superintendent", "commissioner", "chairman", "chairwoman", "chair", "leader", "spokesperson", "spokesman", "spokeswoman", "premier", "sheriff", "senators", "congressman", "congresswoman", "representative", "ceo", "cfo", "editor", "executive", "head", "commander", "admiral", "whip", "president", "minister", "senator", "governor", "secretary", "justice", "general", "mayor"]
)
"""Capitalised offices that are no names by themselves."""

NAME_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
NAME_PARTICLES = frozenset(
    {"de", "van", "von", "der", "den", "la", "le", "di", "da", "al", "bin", "ben", "of", "the"}
)

HE = frozenset({"he", "him", "his", "himself"})
SHE = frozenset({"she", "her", "hers", "herself"})
IT = frozenset({"it", "its", "itself"})
THEY = frozenset({"they", "them", "their", "themselves"})
FIRST_AND_SECOND_PERSON = frozenset(["i", "me", "my", "we", "us", "our", "you", "your", "myself", "ourselves"])
RELATIVE_PRONOUNS = frozenset({"who", "which", "that", "whom"})

EMPTY_HEADS = frozenset(
    ["it", "this", "that", "these", "those", "there", "which", "who", "whom", "what", "he", "she", "they", "i", "we", "you", "one", "some", "many", "most", "all", "others", "other", "each", "both", "him", "her", "them", "us", "me", "something", "anything", "nothing", "someone", "everyone", "anyone", "everything", "none", "more", "less", "much", "any", "such", "another", "thing", "way", "lot", "part", "number", "kind", "sort", "type", "addition", "fact", "case", "order", "time", "times", "result", "example", "people", "same", "first", "second", "third", "latter", "former", "itself", "himself", "herself", "themselves", "rest", "majority", "half", "dozens", "hundreds", "thousands", "millions", "variety", "range", "series", "couple", "pair", "group", "set", "amount", "bit", "point", "end", "top", "bottom", "side", "place", "today", "yesterday", "tomorrow", "day", "week", "month", "year", "years", "days", "weeks", "months", "moment", "period", "step", "something", "while", "whole", "total"]
)
"""Heads of noun phrases that name nothing outside their context."""

SETTING_NOUNS = frozenset(
    ["response", "effect", "addition", "favor", "favour", "front", "behalf", "support", "order", "light", "wake", "charge", "part", "case", "place", "comment", "statement", "terms", "relation", "connection", "exchange", "return", "event", "absence", "presence", "course", "time", "regard", "respect", "accordance", "honor", "honour", "memory", "search", "view", "fact", "group", "number", "series", "lieu", "spite"]
)
"""Nouns of complex prepositions ("in response to"): the real object comes behind them."""

REPORTING_VERBS = frozenset(
    ["say", "tell", "report", "state", "claim", "announce", "add", "note", "argue", "suggest", "believe", "think", "confirm", "explain", "allege", "insist", "warn", "describe", "estimate", "indicate", "write", "comment", "reveal", "remark", "admit", "declare", "find", "show", "acknowledge", "assert", "maintain", "predict", "conclude", "learn", "discover"]
)
"""Verbs whose clause is what their subject says."""

UNREAL_VERBS = frozenset(
    ["hope", "wish", "fear", "doubt", "wonder", "deny", "dispute", "want", "imagine", "pretend", "propose", "demand", "recommend", "urge", "ask", "request", "pray", "expect", "ensure", "guarantee", "consider", "suppose", "assume"]
)
"""Verbs whose clause need not be so."""

UNREAL_MODALS = frozenset({"would", "could", "might", "may", "should", "can", "must"})
NEGATIVE_ADVERBS = frozenset({"never", "hardly", "rarely", "seldom", "barely", "scarcely"})
DOUBT_ADVERBS = frozenset(
    {"nearly", "almost", "allegedly", "reportedly", "supposedly", "possibly", "perhaps", "probably"}
)
INTRANSITIVE_VERBS = frozenset(
    "die go come rise fall live retire return arrive depart happen occur appear disappear remain become collapse sit stand "
    "sleep stay travel graduate emerge".split()
)
"""Verbs that have no passive, whatever stands before "and"."""

NAMING_VERBS = frozenset({"call", "name", "dub", "label", "consider", "term", "nickname", "title", "rename"})

NATIONAL_ADJECTIVE_TYPES: frozenset[EntityType] = frozenset({"NORP", "GPE", "ORG", "LOC"})

KNOWN_ORGANISATIONS = frozenset(
    ["Twitter", "Facebook", "Instagram", "YouTube", "Google", "Reuters", "Wikinews", "Snapchat", "WhatsApp", "Uber", "Tesla", "Boeing", "Netflix", "Amazon", "TikTok", "Microsoft", "OpenAI", "BBC", "CNN", "AFP", "AP", "UEFA", "FIFA", "NASA"]
)
"""Names that the recogniser types at random."""

_NOUNS: tuple[tuple[EntityType, str], ...] = (
    (
        "ORG",
        "company firm organisation organization agency club team band party university corporation bank school "
        "college newspaper magazine ministry airline committee council label studio institute channel hospital "
        "league charity union",
    ),
    ("GPE", "city country town state village nation county capital municipality province republic kingdom"),
    ("WORK", "film movie book album song novel game single opera play episode sequel soundtrack poem"),
    (
        "PERSON",
        "actor actress singer president minister politician writer author director player footballer man woman king "
        "queen musician artist senator governor coach scientist painter composer businessman lawyer judge striker "
        "midfielder goalkeeper defender manager captain consultant journalist activist drummer guitarist physician doctor "
        "engineer economist novelist poet comedian rapper songwriter composer screenwriter filmmaker boxer swimmer cyclist "
        "cricketer golfer skier runner athlete diplomat entrepreneur historian philosopher mathematician physicist chemist "
        "biologist astronaut soldier officer bishop priest monk duke prince princess emperor chef model dancer",
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
