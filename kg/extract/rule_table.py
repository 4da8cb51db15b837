"""The grammar as data: what each rule reads, how far it is trusted, and an example with its triple."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the grammar.

    `trust` is set by judgement after reading samples: a rank, not a measured frequency. `triple` is what
    the rule makes of `example`.
    """

    name: str
    reads: str
    trust: float
    example: str
    triple: tuple[str, str, str]


_RULES = (
    Rule(
        "birth-date",
        "a date of birth in brackets behind a person's name",
        1.0,
        "Jeremy Camp (born January 12, 1978) is an American singer.",
        ("Jeremy Camp", "was born on", "January 12, 1978"),
    ),
    Rule(
        "birth-place",
        "a place of birth in brackets behind a person's name",
        0.95,
        "Leone Marucci (born March 28, 1973 in Youngstown) is an American filmmaker.",
        ("Leone Marucci", "was born in", "Youngstown"),
    ),
    Rule(
        "death-date",
        "a date of death in brackets behind a person's name",
        1.0,
        "Duccio Tessari (11 October 1926 \u2013 6 September 1994) was an Italian director.",
        ("Duccio Tessari", "died on", "6 September 1994"),
    ),
    Rule(
        "death-place",
        "a place of death in brackets behind a person's name",
        0.95,
        "Rudolf Halin (3 February 1934, Uerdingen \u2013 14 November 2014, Hamburg) wrote books.",
        ("Rudolf Halin", "died in", "Hamburg"),
    ),
    Rule(
        "place-chain",
        "places with commas between, each within the next",
        0.95,
        "Peter Novak moved to Saint Louis, Missouri.",
        ("Saint Louis", "is located in", "Missouri"),
    ),
    Rule(
        "place-beyond",
        "the places that a place lies in, said of what lies in it",
        0.85,
        "Lake Inari is a lake on the edge of Lapland, in northern Finland.",
        ("Lake Inari", "is located in", "Finland"),
    ),
    Rule(
        "apposition",
        "a common noun beside a name that says what it is",
        0.9,
        "Angela Merkel, the chancellor of Germany, met Emmanuel Macron.",
        ("Angela Merkel", "is", "chancellor of Germany"),
    ),
    Rule(
        "alias",
        "a second name in brackets behind a name",
        0.6,
        'Anna Keller wrote "Winter Light" ("Cold Comfort") in Rome.',
        ("Winter Light", "is also known as", "Cold Comfort"),
    ),
    Rule(
        "dated-name",
        "a date beside the name of a work or an event",
        0.6,
        "The Battle of Burgos in 1808 was short.",
        ("Battle of Burgos", "took place in", "1808"),
    ),
    Rule(
        "owner",
        "a possessive before a name",
        0.67,
        "Apple's Tim Cook met Donald Trump.",
        ("Tim Cook", "is affiliated with", "Apple"),
    ),
    Rule(
        "name-preposition",
        "a preposition between two names",
        0.7,
        "Peter Novak of Siemens met Anna Keller.",
        ("Peter Novak", "is affiliated with", "Siemens"),
    ),
    Rule(
        "office",
        "an office or a profession before a person's name",
        0.9,
        "German chancellor Angela Merkel visited Warsaw.",
        ("Angela Merkel", "is", "German chancellor"),
    ),
    Rule(
        "named-noun",
        "a name beside a common noun that says what it is",
        0.85,
        "The experimental rock band Cream toured Europe.",
        ("Cream", "is", "experimental rock band"),
    ),
    Rule(
        "copula",
        'a noun behind a form of "be"',
        0.9,
        "Oslo is the capital of Norway.",
        ("Oslo", "is", "capital of Norway"),
    ),
    Rule(
        "copula-inverse",
        'a name behind a form of "be" whose subject says what it is',
        0.85,
        "The capital of Norway is Oslo.",
        ("Oslo", "is", "capital of Norway"),
    ),
    Rule(
        "copula-preposition",
        'a preposition behind a form of "be"',
        0.7,
        "Mount Olympus is in Greece.",
        ("Mount Olympus", "is in", "Greece"),
    ),
    Rule(
        "copula-adjective",
        'an adjective with a preposition behind a form of "be"',
        0.75,
        "John Carter is married to Anna Keller.",
        ("John Carter", "is married to", "Anna Keller"),
    ),
    Rule(
        "verb-object",
        "a verb with its direct object",
        0.8,
        "Anna Keller co-founded Nova Labs.",
        ("Anna Keller", "co-founded", "Nova Labs"),
    ),
    Rule(
        "verb-role",
        "what a verb makes of its subject or object",
        0.8,
        "Anna Keller became chief executive of Siemens.",
        ("Anna Keller", "became", "chief executive of Siemens"),
    ),
    Rule(
        "verb-preposition",
        "a verb with a preposition and its object",
        0.75,
        "Peter Novak has been working at Siemens since 2003.",
        ("Peter Novak", "has been working at", "Siemens"),
    ),
    Rule(
        "verb-date",
        "a verb with a date that has no preposition",
        0.75,
        "John Carter resigned yesterday.",
        ("John Carter", "resigned on", "2019-01-03"),
    ),
    Rule(
        "object-setting",
        "when or where somebody made or caught a verb's object",
        0.75,
        "Epic released Renegades in December 2000.",
        ("Renegades", "was released in", "December 2000"),
    ),
    Rule(
        "role-preposition",
        "a name behind a preposition in a noun that says what someone is",
        0.85,
        "Anna Keller is captain of Lyon.",
        ("Anna Keller", "is captain of", "Lyon"),
    ),
    Rule(
        "role-owner",
        "a possessive before a noun that says what someone is",
        0.85,
        "Anna Keller's husband, Peter Novak, works for Siemens.",
        ("Peter Novak", "is husband of", "Anna Keller"),
    ),
    Rule(
        "role-modifier",
        "a name before a noun that says what someone is",
        0.72,
        "Anna Keller is a Microsoft executive.",
        ("Anna Keller", "is executive of", "Microsoft"),
    ),
    Rule(
        "citizenship",
        "a national adjective before what a person is",
        0.9,
        "German chancellor Angela Merkel visited Warsaw.",
        ("Angela Merkel", "is citizen of", "Germany"),
    ),
    Rule(
        "state-office",
        "a national adjective before an office of a state",
        0.85,
        "French President Jean Duval visited Warsaw.",
        ("Jean Duval", "is President of", "France"),
    ),
    Rule(
        "origin",
        "a national adjective before what a thing is",
        0.85,
        "Sparta is a French film directed by Jean Duval.",
        ("Sparta", "is from", "France"),
    ),
    Rule(
        "group",
        "an adjective of a party, a faith or a people before what someone is",
        0.65,
        "Anna Keller is a Republican senator.",
        ("Anna Keller", "is affiliated with", "Republican Party"),
    ),
    Rule(
        "release-year",
        "a year before what a work is",
        0.95,
        "Sparta is a 1975 film.",
        ("Sparta", "was released in", "1975"),
    ),
    Rule(
        "object-preposition",
        "a name behind a preposition in a verb's object",
        0.7,
        "Marta Silva scored two goals against Brazil.",
        ("Marta Silva", "scored goals against", "Brazil"),
    ),
    Rule(
        "object-owner",
        "a possessive before a verb's object",
        0.65,
        "Anna Keller joined Microsoft's board.",
        ("Anna Keller", "joined board of", "Microsoft"),
    ),
    Rule(
        "object-modifier",
        "a name before a verb's object",
        0.55,
        "Anna Keller joined the Microsoft board.",
        ("Anna Keller", "joined board of", "Microsoft"),
    ),
)

RULES: Mapping[str, Rule] = MappingProxyType({rule.name: rule for rule in _RULES})
"""Every rule by its name, which is what `Triple.rule` says."""
