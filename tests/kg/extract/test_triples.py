"""What a reader would write down for a sentence, and what the rules write down."""

import pytest

from kg.model import LITERAL_TYPES, NAMED_TYPES
from tests.kg.extract.conftest import Read, facts_of, triples_of

Fact = tuple[str, str, str]

STATED: dict[str, tuple[str, list[Fact]]] = {
    "object": ("John Carter visited Berlin.", [("John Carter", "visited", "Berlin")]),
    "object with preposition": (
        "Marta Silva scored two goals against Brazil.",
        [("Marta Silva", "scored goals against", "Brazil")],
    ),
    "passive": (
        "Acme Corporation was acquired by Globex in 2015.",
        [("Acme Corporation", "was acquired by", "Globex"), ("Acme Corporation", "was acquired in", "2015")],
    ),
    "progressive": (
        "Peter Novak has been working at Siemens since 2003.",
        [("Peter Novak", "has been working at", "Siemens")],
    ),
    "joined subjects": (
        "Lionel Messi and Neymar joined Paris Saint-Germain.",
        [
            ("Lionel Messi", "joined", "Paris Saint-Germain"),
            ("Neymar", "joined", "Paris Saint-Germain"),
        ],
    ),
    "joined passive verbs share the auxiliary": (
        "John Carter was arrested and charged with murder.",
        [("John Carter", "was charged with", "murder")],
    ),
    "an intransitive verb does not share it": (
        "John Carter was born in Missouri and died in California.",
        [("John Carter", "was born in", "Missouri"), ("John Carter", "died in", "California")],
    ),
    "infinitive": (
        "Parliament voted to hold John Carter in contempt.",
        [("Parliament", "voted to hold", "John Carter")],
    ),
    "object control": (
        "John Carter asked Anna Keller to lead Nova Labs.",
        [("Anna Keller", "was asked to lead", "Nova Labs")],
    ),
    "participle clause": (
        "Nova Labs, founded by Peter Novak in 2001, is based in Prague.",
        [
            ("Nova Labs", "was founded by", "Peter Novak"),
            ("Nova Labs", "was founded in", "2001"),
            ("Nova Labs", "is based in", "Prague"),
        ],
    ),
    "predicate noun stands for its subject": (
        "Nova Labs is a company founded by Peter Novak.",
        [("Nova Labs", "was founded by", "Peter Novak")],
    ),
    "relative clause": (
        "Anna Keller, who studied at Oxford University, joined Pfizer in 2010.",
        [("Anna Keller", "studied at", "Oxford University"), ("Anna Keller", "joined", "Pfizer")],
    ),
    "relative clause of a thing": (
        "The vaccine was tested by Pfizer, which is headquartered in New York.",
        [("Pfizer", "is headquartered in", "New York")],
    ),
    "hyphenated verb": (
        "Anna Keller co-founded Nova Labs with Peter Novak.",
        [
            ("Anna Keller", "co-founded", "Nova Labs"),
            ("Anna Keller", "co-founded Nova Labs with", "Peter Novak"),
        ],
    ),
    "money": ("Nova Labs was fined $2 million.", [("Nova Labs", "was fined", "$2 million")]),
    "role": (
        "Anna Keller became chief executive of Siemens in 2012.",
        [
            ("Anna Keller", "became", "chief executive of Siemens"),
            ("Anna Keller", "became chief executive of", "Siemens"),
        ],
    ),
    "illness": ("John Carter died of cancer in Rome.", [("John Carter", "died of", "cancer")]),
    "copula": (
        "Oslo is the capital of Norway.",
        [("Oslo", "is", "capital of Norway"), ("Oslo", "is capital of", "Norway")],
    ),
    "copula turned round": ("The capital of Norway is Oslo.", [("Oslo", "is capital of", "Norway")]),
    "copula with place": ("Mount Olympus is in Greece.", [("Mount Olympus", "is in", "Greece")]),
    "copula with adjective": (
        "John Carter is married to Anna Keller.",
        [("John Carter", "is married to", "Anna Keller")],
    ),
    "work": (
        "Sparta is a 1975 French film directed by Jean Duval.",
        [
            ("Sparta", "was released in", "1975"),
            ("Sparta", "is from", "France"),
            ("Sparta", "was directed by", "Jean Duval"),
        ],
    ),
    "apposition": (
        "Angela Merkel, the chancellor of Germany, met Emmanuel Macron in Paris.",
        [
            ("Angela Merkel", "is", "chancellor of Germany"),
            ("Angela Merkel", "is chancellor of", "Germany"),
            ("Angela Merkel", "met", "Emmanuel Macron"),
            ("Angela Merkel", "met Emmanuel Macron in", "Paris"),
        ],
    ),
    "name in apposition": (
        "Anna Keller's husband, Peter Novak, works for Siemens.",
        [("Peter Novak", "is husband of", "Anna Keller"), ("Peter Novak", "works for", "Siemens")],
    ),
    "office and citizenship": (
        "German chancellor Angela Merkel visited Warsaw.",
        [("Angela Merkel", "is", "German chancellor"), ("Angela Merkel", "is citizen of", "Germany")],
    ),
    "owner": ("Apple's Tim Cook met Donald Trump.", [("Tim Cook", "is affiliated with", "Apple")]),
    "place chain before another": (
        "Anna Keller lives in Gloucester, Massachusetts and Brooklyn, New York.",
        [("Gloucester", "is located in", "Massachusetts"), ("Brooklyn", "is located in", "New York")],
    ),
    "what is in a place is in the places around it": (
        "Nova Labs is based in London, United Kingdom.",
        [("Nova Labs", "is based in", "London"), ("Nova Labs", "is based in", "United Kingdom")],
    ),
    "the city of a name is the name": (
        "John Carter left the U.S. state of Montana.",
        [("John Carter", "left", "Montana"), ("Montana", "is located in", "United States")],
    ),
    "a noun beside a name is the name": (
        "Sony Music released the album Renegades in December 2000.",
        [("Sony Music", "released", "Renegades"), ("Renegades", "was released in", "December 2000")],
    ),
    "examples": (
        "Anna Keller worked with artists such as Bob Dylan and Joan Baez.",
        [("Anna Keller", "worked with", "Bob Dylan"), ("Anna Keller", "worked with", "Joan Baez")],
    ),
    "a year in brackets": (
        "Peter Novak directed Winter Light (1963) in Prague.",
        [("Winter Light", "is dated", "1963")],
    ),
    "a direction belongs to the verb": (
        "Germany is moving forward with Nova Labs.",
        [("Germany", "is moving forward with", "Nova Labs")],
    ),
    "the nation before a group": (
        "The Norwegian rock band Motorpsycho toured Europe.",
        [("Motorpsycho", "is", "Norwegian rock band"), ("Motorpsycho", "is from", "Norway")],
    ),
    "life with places": (
        "Rudolf Halin (3 February 1934, Uerdingen \u2013 14 November 2014, Hamburg) wrote books.",
        [("Rudolf Halin", "was born in", "Uerdingen"), ("Rudolf Halin", "died in", "Hamburg")],
    ),
    "place chain": (
        "Anna Keller died in Saint Louis, Missouri, United States.",
        [("Saint Louis", "is located in", "Missouri"), ("Missouri", "is located in", "United States")],
    ),
    "life dates": (
        "Duccio Tessari (11 October 1926 \u2013 6 September 1994) was an Italian director.",
        [
            ("Duccio Tessari", "was born on", "11 October 1926"),
            ("Duccio Tessari", "died on", "6 September 1994"),
            ("Duccio Tessari", "is citizen of", "Italy"),
        ],
    ),
    "birth in brackets": (
        "Jeremy Camp (born January 12, 1978) is an American singer.",
        [("Jeremy Camp", "was born on", "January 12, 1978"), ("Jeremy Camp", "is", "American singer")],
    ),
    "life with the place before the day": (
        "Ana Brel (Stuttgart, 24 August 1821 \u2013 Hamburg, 6 December 1898) wrote books.",
        [("Ana Brel", "was born in", "Stuttgart"), ("Ana Brel", "died on", "6 December 1898")],
    ),
    "a place within places": (
        "Lake Inari lies in Inari County, within Lapland Province, in northern Finland.",
        [("Inari County", "is located in", "Lapland Province"), ("Inari County", "is located in", "Finland")],
    ),
    "the nation of a state": (
        "Anna Keller lives in Orange County in the southern U.S. state of Florida.",
        [("Orange County", "is located in", "Florida"), ("Orange County", "is located in", "United States")],
    ),
    "a list with years in brackets": (
        'Anna Keller has directed "Cold Sun" (1976), "Pale Moon" (1982) and "Two Stars" (1996).',
        [("Anna Keller", "has directed", "Two Stars"), ("Pale Moon", "is dated", "1982")],
    ),
    "an apposition to a place that only its senator can be": (
        "Anna Keller was a senator from Ohio, wife of Peter Novak and mother of Tom Novak.",
        [("Anna Keller", "is wife of", "Peter Novak"), ("Anna Keller", "is mother of", "Tom Novak")],
    ),
    "who is a person": (
        "Anna Keller was a member of the House of the Kingdom of Bavaria, who served as governor of Passau.",
        [("Anna Keller", "served as", "governor of Passau")],
    ),
    "a list of professions": (
        "Anna Keller was a German journalist, film director, film producer, and actor.",
        [("Anna Keller", "was", "film producer"), ("Anna Keller", "was", "actor")],
    ),
    "two nations and a year": (
        "Sparta is a 1973 French-Italian comedy film.",
        [("Sparta", "was released in", "1973")],
    ),
    "a year before a work": (
        "Anna Keller appeared in the 2009 film Bandslam.",
        [("Bandslam", "was released in", "2009")],
    ),
    "a character in a work": (
        'Anna Keller played Clara Weber in "Cold Sun".',
        [("Anna Keller", "played", "Clara Weber")],
    ),
    "both ends of what is between two": (
        "Brazil signed a treaty between Brazil and France.",
        [("Brazil", "signed treaty between Brazil and", "France")],
    ),
    "co-founded and when": (
        "Anna Keller co-founded Nova Labs in 2001.",
        [("Nova Labs", "was co-founded in", "2001")],
    ),
    "a rank that someone holds": (
        "Anna Keller was Queen of Spain.",
        [("Anna Keller", "was queen of", "Spain")],
    ),
    "pronoun": (
        "Anna Keller plays for Bayern Munich. She scored three goals against Dortmund.",
        [("Anna Keller", "scored goals against", "Dortmund")],
    ),
    "pronoun skips the other gender": (
        "Anna Keller met Peter Novak in Prague. He lives in Vienna.",
        [("Peter Novak", "lives in", "Vienna")],
    ),
    "surname": ("Ana Brel won the race. Brel was born in Lyon.", [("Ana Brel", "was born in", "Lyon")]),
    "declared acronym": (
        "The World Health Organization (WHO) declared a pandemic. The WHO is based in Geneva.",
        [("World Health Organization", "is based in", "Geneva")],
    ),
    "weekday": (
        "John Carter visited Berlin on Monday.",
        [("John Carter", "visited Berlin on", "2018-12-31")],
    ),
    "weekday ahead": (
        "John Carter will meet Vladimir Putin next Monday.",
        [("John Carter", "will meet Vladimir Putin on", "2019-01-07")],
    ),
    "yesterday": ("John Carter resigned yesterday.", [("John Carter", "resigned on", "2019-01-03")]),
    "day and month": (
        "John Carter was appointed on December 28.",
        [("John Carter", "was appointed on", "2018-12-28")],
    ),
}


@pytest.mark.parametrize("case", STATED)
def test_a_sentence_gives_its_facts(read: Read, case: str) -> None:
    body, wanted = STATED[case]
    assert set(wanted) <= facts_of(read(body))


SILENT = {
    "an object whose rest is left out": "Anna Keller described insane heat.",
    "an object that goes on": "Anna Keller issued an administrative stay to an old order.",
    "a role that is told further on": "Anna Keller ran for a seat in a chamber.",
    "an adjective that points elsewhere": "Anna Keller is a local prosecutor.",
    "referred to what nobody says": "Anna Keller referred to it as gamesmanship.",
    "a person is no list": "Anna Keller, protesters in a square, and others were named.",
    "condition": "If Germany beats Brazil, Thomas Weber will retire from Bayern Munich.",
    "possibility": "Anna Keller might join Bayern Munich.",
    "hope": "John Carter hopes that Boris Becker visits Berlin.",
    "obligation": "John Carter has yet to visit Berlin.",
    "wish": "John Carter hopes to join Siemens.",
    "untruth": "It is not true that John Carter met Anna Keller.",
    "an office without what it is of": "Anna Keller is the president.",
    "kin without whose": "Anna Keller is a daughter.",
    "an object that only the article tells": "Anna Keller supported the various other plans.",
    "a thing among many": "A Facebook user moved to Ireland.",
    "a bare count": "Anna Keller was about 57.",
    "accusation": "John Carter was accused of robbing Barclays Bank.",
    "question": "Did John Carter visit Berlin?",
    "headline": "Berlin in ruins after Hamburg fire",
    "first person": '"I love Berlin and we will visit Paris," said John Carter.',
    "another script": "Владимир Путин посетил Берлин в понедельник.",
    "nothing named": "The man bought a red car.",
    "nameless subject": "A rescue team arrived in Hamburg.",
    "list of towns is no chain": "The storm hit Carrascal, Cantilan, Madrid, Carmen, Lanuza, and Cortes.",
    "list of countries is no chain": "The treaty was signed by Ireland, Spain.",
}


@pytest.mark.parametrize("case", SILENT)
def test_what_is_no_fact_gives_no_triple(read: Read, case: str) -> None:
    assert triples_of(read(SILENT[case])) == []


ASCRIBED: dict[str, tuple[str, tuple[str, str, str]]] = {
    "a state before its own places": (
        "Anna Keller lives in the Australian state of New South Wales in Brewarrina Shire.",
        ("New South Wales", "is located in", "Brewarrina Shire"),
    ),
    "a possessive behind a comma": (
        "Anna Keller lives in Kaybury, Ohio's first city.",
        ("Kaybury", "is located in", "Ohio"),
    ),
    "the next name of a list has another office": (
        "Word came from Siemens head Peter Novak, Anna Keller, and a spokesperson.",
        ("Anna Keller", "is head of", "Siemens"),
    ),
    "a party belongs to nobody": (
        "Peter Novak's Civic Platform won the vote.",
        ("Civic Platform", "belongs to", "Peter Novak"),
    ),
    "a relative clause behind the last of two": (
        "Brazil joined a pact between France and Siemens, which bought Alstom.",
        ("Siemens", "bought", "Alstom"),
    ),
}


@pytest.mark.parametrize("case", ASCRIBED)
def test_a_fact_is_not_ascribed_to_a_neighbour(read: Read, case: str) -> None:
    body, wrong = ASCRIBED[case]
    assert wrong not in facts_of(read(body))


TITLED: dict[str, tuple[str, str, tuple[str, str, str]]] = {
    "a title that is a clause": (
        "What Women Want",
        "What Women Want is a 2000 comedy film directed by Anna Keller.",
        ("What Women Want", "was directed by", "Anna Keller"),
    ),
    "a title that ends like a place": (
        "Comin' Round the Mountain",
        "Comin' Round The Mountain is a 1951 film.",
        ("Comin' Round The Mountain", "was released in", "1951"),
    ),
    "a life behind a second title": (
        "Anna Keller, Countess of Girgenti",
        "Anna Keller, Countess of Girgenti (12 January 1846 \u2013 26 November 1871) was a painter.",
        ("Anna Keller, Countess of Girgenti", "died on", "26 November 1871"),
    ),
}


@pytest.mark.parametrize("case", TITLED)
def test_the_title_tells_whom_a_sentence_is_about(read: Read, case: str) -> None:
    title, body, wanted = TITLED[case]
    assert wanted in facts_of(read(body, title=title))


def test_an_opinion_in_a_quotation_is_its_speakers(read: Read) -> None:
    body = 'Peter Novak wrote, "Anna Keller, a lovely singer, and my best friend of all."'
    said = [triple for triple in triples_of(read(body)) if triple.rule == "apposition"]
    assert said
    assert all(triple.attributed_to for triple in said)


def test_without_a_day_of_publication_relative_dates_are_left_out(read: Read) -> None:
    facts = facts_of(read("John Carter visited Berlin on Monday.", published_at=None))
    assert facts == {("John Carter", "visited", "Berlin")}


def test_types_and_ends(read: Read) -> None:
    bodies = " ".join(body for body, _ in STATED.values())
    triples = triples_of(read(bodies))
    assert len(triples) > 40
    for triple in triples:
        assert triple.subject_type not in LITERAL_TYPES
        assert {triple.subject_type, triple.object_type} & NAMED_TYPES or " " in triple.subject
        assert 0 < triple.confidence <= 1
        assert triple.rule


def test_a_sentence_states_a_fact_once_and_another_one_states_it_again(read: Read) -> None:
    claims = read("John Carter visited Berlin. In May, John Carter visited Berlin.").claims
    assert [[t.predicate for t in claim.triples].count("visited") for claim in claims] == [1, 1]


def test_a_fact_that_was_attributed_first_is_still_stated(read: Read) -> None:
    triples = triples_of(read("Anna Weber said Siemens bought Alstom. Siemens bought Alstom."))
    assert {bool(t.attributed_to) for t in triples if t.predicate == "bought"} == {True, False}


def test_a_day_before_a_name_is_no_office(read: Read) -> None:
    facts = facts_of(read("It was reported on Saturday Sirhan Sirhan was stabbed in California."))
    assert facts == {("Sirhan Sirhan", "was stabbed in", "California")}
