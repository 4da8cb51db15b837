"""Two named things compared by what is told of each: days, lives, countries, sorts, and who directed them."""

from kg.model import EntityType
from services.rag.comparing_things import compared_things, countries_of, when
from services.rag.question_words import question_form
from services.rag.reader import NO_ANSWER, read_answer
from services.rag.sentence_match import find_thing
from tests.examples import examples, read_examples
from tests.services.rag.passages import passage

NAMES: dict[str, EntityType] = read_examples("services/rag/comparing_things")["names"]
WORLD = [
    passage(
        "The Grey Rope is a 1931 drama film directed by Otto Pelham.",
        1,
        NAMES,
        [("The Grey Rope", "was directed by", "Otto Pelham")],
        title="The Grey Rope",
    ),
    passage("Salt Road is a 1948 Swedish film. It was directed by Ines Vold.", 2, NAMES, title="Salt Road"),
    passage(
        "Otto Pelham (3 May 1890 \u2013 7 June 1960) was a Norwegian film director.",
        3,
        NAMES,
        title="Otto Pelham",
    ),
    passage(
        "Ines Vold was born on 9 May 1885. Ines Vold died on 2 January 1971.",
        4,
        NAMES,
        [
            ("Ines Vold", "was born on", "9 May 1885"),
            ("Ines Vold", "died on", "2 January 1971"),
            ("Ines Vold", "is citizen of", "Sweden"),
        ],
        title="Ines Vold",
    ),
    passage(
        "Karl Brask is a Norwegian actor and film director from Ostby.",
        5,
        NAMES,
        [("Karl Brask", "is from", "Ostby"), ("Ostby", "is located in", "Norway")],
        title="Karl Brask",
    ),
]


@examples("question, answer")
def test_two_things_are_compared(question: str, answer: str) -> None:
    assert read_answer(question, WORLD).answer == answer


@examples("question")
def test_what_is_not_told_of_both_is_not_answered(question: str) -> None:
    assert compared_things(question, question_form(question), WORLD) is None
    assert read_answer(question, WORLD).answer == NO_ANSWER


def test_the_answer_tells_where_it_was_read() -> None:
    reading = read_answer("Who died earlier, Ines Vold or Otto Pelham?", WORLD)
    assert (reading.chunk, reading.entity) == ("chunk-3", "entity-Otto Pelham")
    assert "1960" in reading.sentence


def test_the_most_precise_day_counts() -> None:
    vague = passage(
        "Ines Vold, born in 1884, sang.", 6, NAMES, [("Ines Vold", "was born in", "1884")], title="A song"
    )
    thing = find_thing("Ines Vold", [vague, *WORLD])
    assert thing is not None
    told = when(thing, "birth", [vague, *WORLD])
    assert told is not None
    assert told.day == (1885, 5, 9)


def test_a_country_is_reached_through_the_places_in_it() -> None:
    thing = find_thing("Karl Brask", WORLD)
    assert thing is not None
    found = countries_of(thing, WORLD)
    assert found is not None
    assert found[0] == {"Norway"}


def test_places_in_a_circle_end() -> None:
    round_ = passage(
        "Ostby and Norby lie in each other.",
        1,
        {"Ostby": "GPE", "Norby": "GPE"},
        [("Ostby", "is located in", "Norby"), ("Norby", "is located in", "Ostby")],
    )
    thing = find_thing("Ostby", [round_])
    assert thing is not None
    assert countries_of(thing, [round_]) is None
