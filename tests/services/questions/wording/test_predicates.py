import pytest

from services.questions.wording.predicates import parse, wordable


@pytest.mark.parametrize(
    ("predicate", "parts"),
    [
        ("is governed by", ("passive", "governed", "", "by")),
        ("has sent team to", ("active", "sent", "team", "to")),
        ("is building barrage in", ("active", "building", "barrage", "in")),
        ("was planned to launch on", ("passive", "planned", "to launch", "on")),
        ("is largest shareholder of", ("copula", "is", "largest shareholder", "of")),
        ("has", ("active", "has", "", "")),
        ("located in", ("passive", "located", "", "in")),
        ("written by", ("passive", "written", "", "by")),
        ("was operated at", ("passive", "operated", "on", "at")),
        ("worked out", ("active", "worked", "out", "")),
        ("named hall after", ("active", "named", "hall", "after")),
        ("is a city in", ("passive", "located", "", "in")),
    ],
)
def test_a_predicate_is_taken_apart(predicate: str, parts: tuple[str, str, str, str]) -> None:
    found = parse(predicate)
    assert (found.voice, found.verb, found.complement, found.preposition) == parts


@pytest.mark.parametrize(
    "predicate",
    [
        "leads",
        "is governed by",
        "owns stake in",
        "gave freedom of the city to",
        "became rector on",
        "tried to wave",
        "has succeeded",
        "are owned by",
        "is daughter of",
        "won Averell Cup on",
        "is planned to launch on",
    ],
)
def test_verb_groups_can_be_worded(predicate: str) -> None:
    assert wordable(predicate)


@pytest.mark.parametrize(
    "predicate",
    [
        "",
        "is",
        "was",
        "has",
        "got",
        "is not given to",
        "was named",
        "kept Mateo Brisende as",
        "is sold as",
        "is state on",
        "is own adviser of",
        "is specialized agency of",
        "son of",
        "member of",
        "walked up nave of the great hall on",
        "stood throughout with",
        "was declared",
        "is thought to have been asked about",
        "has spent the 12 days since the flood with",
    ],
)
def test_what_says_nothing_or_drags_a_clause_along_is_refused(predicate: str) -> None:
    assert not wordable(predicate)
