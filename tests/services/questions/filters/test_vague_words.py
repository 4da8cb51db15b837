import pytest

from services.questions.filters.standing import vague_part


@pytest.mark.parametrize(
    "text",
    [
        "Which company owns the club that Mira Tolland plays for?",
        "Which club did Mira Tolland join after she left Vell?",
        "Who founded the company behind the ship that Ana Brel launched on Monday, 4 May 2031?",
        "Who wrote the report on the Good Friday Agreement that Ana Brel signed?",
        "Is it true of both Vell and Ostby that each is twinned with the same town?",
        "Was it before or after the fall of Vell that Ana Brel was born?",
        "What did the bank Halden founded buy from the firm Ana Brel led?",
        "Which of those who met Ana Brel was born in Vell?",
        "When did US troops leave Vell?",
        "Who won the world's first race in Vell?",
        "Which clinic tested the product doses of which were ordered by Vell?",
    ],
)
def test_a_question_that_stands_alone_has_no_vague_part(text: str) -> None:
    assert vague_part(text) == ""


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Where was she born?", '"she"'),
        ("Who is its founder?", '"its"'),
        ("Who founded our club?", '"our"'),
        ("Who founded this technology of Ana Brel?", '"this"'),
        ("Who founded the company?", '"the company'),
        ("Who did the company sue over Vell?", '"the company'),
        ("What was the club's first name in Vell?", '"the club'),
        ("Who left Vell yesterday?", '"yesterday"'),
        ("Who left Vell three years ago?", '"ago"'),
        ("Who won in Vell last season?", '"last season"'),
        ("Who left Vell on Monday?", '"on Monday"'),
        ("Which countries met other countries in Vell?", '"other countries"'),
        ("When did Vell switch on the clinic's supply?", "\"the clinic's"),
        ("What helped certain individuals in Vell?", '"certain individuals"'),
    ],
)
def test_what_leans_on_an_article_is_told(text: str, part: str) -> None:
    assert vague_part(text).startswith(part)


def test_names_are_left_out() -> None:
    text = "Who directed Yesterday after This Is Us?"
    assert vague_part(text) != ""
    assert vague_part(text, ("Yesterday", "This Is Us")) == ""
