"""The questions: their chains hold in the gold, and neither the way nor the answer is given away."""

from collections import Counter, defaultdict

from tests.seed import corpus
from tests.seed.corpus import GoldTriple, Step

INFERENCE = [row for row in corpus.questions() if row["kind"] == "inference"]
NO_ANSWER = "Insufficient information"


def test_there_are_enough_questions_of_each_kind_and_depth() -> None:
    hops = Counter(row["hops"] for row in INFERENCE)
    assert set(hops) == {2, 3, 4, 5}
    assert min(hops.values()) >= 10
    kinds = Counter(row["kind"] for row in corpus.questions())
    assert set(kinds) == {"inference", "comparison", "temporal", "null"}
    assert min(kinds.values()) >= 6
    assert len(corpus.questions()) >= 60


def test_ids_and_questions_are_unique() -> None:
    rows = corpus.questions()
    assert len({row["id"] for row in rows}) == len({row["question"] for row in rows}) == len(rows)


def test_the_evidence_states_the_facts_of_the_chain() -> None:
    for row in corpus.questions():
        assert len(row["chain"]) == len(row["evidence"]) == row["hops"], row["id"]
        for step, evidence in zip(row["chain"], row["evidence"], strict=True):
            assert evidence == {"article": step["article"], "sentence": _stated(step)["sentence"]}
        assert len({step["article"] for step in row["chain"]}) == row["hops"], row["id"]


def test_a_chain_is_the_only_way_from_the_first_entity_to_the_answer() -> None:
    for row in INFERENCE:
        path = row["entities"]
        assert path[-1] == row["answer"]
        assert len(set(path)) == len(path), row["id"]
        for step, start, end in zip(row["chain"], path, path[1:], strict=False):
            stated = _stated(step)
            assert _ends(stated, step) == (start, end)
            same = [
                _ends(fact, step) for fact in corpus.triples() if fact["predicate"] == stated["predicate"]
            ]
            elsewhere = {other for first, other in same if first == start and other != end}
            assert elsewhere == set(step.get("ruled_out", [])), step["fact"]


def test_no_single_article_states_the_whole_chain() -> None:
    stating = defaultdict(set)
    for fact in corpus.triples():
        stating[fact["fact"]].add(fact["article"])
    for row in INFERENCE:
        assert not set.intersection(*(stating[step["fact"]] for step in row["chain"])), row["id"]


def test_a_question_names_its_start_but_neither_its_way_nor_its_answer() -> None:
    for row in INFERENCE:
        start, *rest = row["entities"]
        assert any(corpus.stands_in(name, row["question"]) for name in corpus.names_of(start)), row["id"]
        hidden = {name for entity in rest for name in corpus.names_of(entity)} | set(row["aliases"])
        named = {name.removeprefix("the ") for name in hidden}
        assert [name for name in named if len(name) > 3 and corpus.stands_in(name, row["question"])] == []


def test_yes_and_no_are_both_frequent_answers() -> None:
    answers = Counter(
        row["answer"] for row in corpus.questions() if row["kind"] in {"comparison", "temporal"}
    )
    assert min(answers["Yes"], answers["No"]) >= 5


def test_a_question_without_an_answer_says_why() -> None:
    nulls = [row for row in corpus.questions() if row["kind"] == "null"]
    assert all(row["answer"] == NO_ANSWER and not row["chain"] and row.get("why") for row in nulls)
    others = [row for row in corpus.questions() if row["kind"] != "null"]
    assert all(row["answer"] not in {NO_ANSWER, ""} for row in others)


def _stated(step: Step) -> GoldTriple:
    """The gold triple of a step, as its article states it."""
    return next(
        row for row in corpus.triples() if (row["fact"], row["article"]) == (step["fact"], step["article"])
    )


def _ends(triple: GoldTriple, step: Step) -> tuple[str, str]:
    """Where the step starts and ends when the triple is walked in its direction."""
    ends = triple["subject"], triple["object"]
    return (ends[1], ends[0]) if step.get("inverse") else ends
