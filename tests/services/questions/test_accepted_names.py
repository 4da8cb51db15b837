from services.questions.chains import accepted_names
from services.questions.draft import Chain, Fact, Stop


def chain(end: Stop, said: str) -> Chain:
    fact = Fact(1, "claim-1", "triple-1", "The commission", "reported on", said, "article-1", "")
    return Chain("path-1", (Stop("entity-1", "Commission", "ORG"), end), (fact,))


def test_a_date_is_accepted_as_people_write_it() -> None:
    names = accepted_names(chain(Stop("entity-2", "2031-08-25", "DATE"), "Monday, 25 August 2031"), 1)
    assert names[:3] == ("25 August 2031", "2031-08-25", "Monday, 25 August 2031")
    assert "August 25, 2031" in names
    assert len(set(names)) == len(names)


def test_a_name_with_a_figure_is_no_date() -> None:
    assert accepted_names(chain(Stop("entity-2", "Kittiwake 2", "PRODUCT", ("K2",)), "Kittiwake"), 1) == (
        "Kittiwake 2",
        "K2",
        "Kittiwake",
    )
