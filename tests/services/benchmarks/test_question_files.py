"""Question files of other sets: told apart by content, read into one form, bad rows named."""

import csv
import json
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest

from kg.errors import InputError, SettingsError
from kg.model import Reject
from services.datasets.choose import QUESTION_FORMATS, read_questions, tell_format
from services.datasets.question import BenchmarkQuestion, Gold
from tests.examples import examples
from tests.services.benchmarks import sets
from tests.services.benchmarks.sets import write_array, write_lines

FIRST, SECOND = sets.MIRA[0], sets.ROVERS[0]


def read(path: Path, form: str = "") -> tuple[list[BenchmarkQuestion], list[Reject]]:
    found = list(read_questions(path, form))
    return (
        [one for one in found if isinstance(one, BenchmarkQuestion)],
        [one for one in found if isinstance(one, Reject)],
    )


def only(path: Path, form: str = "") -> BenchmarkQuestion:
    (question,), rejects = read(path, form)
    assert rejects == []
    return question


@pytest.mark.parametrize(
    ("row", "form"),
    [
        (sets.HOTPOTQA, "hotpotqa"),
        (sets.HOTPOTQA_COLUMNS, "hotpotqa"),
        (sets.TWO_WIKI, "2wiki"),
        (sets.MUSIQUE, "musique"),
        (sets.MOREHOPQA, "morehopqa"),
        (sets.MULTIHOP_RAG, "multihop-rag"),
        (sets.KG_RAG, "kg-rag"),
        (sets.KG_RAG_ABSENT, "kg-rag"),
        (sets.PLAIN, "jsonl"),
    ],
)
def test_the_form_is_told_from_the_content_as_lines_and_as_an_array(
    tmp_path: Path, row: object, form: str
) -> None:
    assert form in QUESTION_FORMATS
    assert tell_format(write_lines(tmp_path / "a.jsonl", row)) == form
    assert tell_format(write_array(tmp_path / "a.json", row)) == form


@pytest.mark.parametrize("row", [sets.HOTPOTQA, sets.HOTPOTQA_COLUMNS, sets.TWO_WIKI])
def test_hotpotqa_names_evidence_by_title_and_sentence(tmp_path: Path, row: dict[str, object]) -> None:
    question = only(write_lines(tmp_path / "a.jsonl", row))
    assert (question.id, question.text, question.answer) == ("h1", sets.QUESTION, "Halden Shipping")
    assert (question.type, question.hops) == (row["type"], 2)
    assert question.gold == (
        Gold(title="Mira Tolland", text=FIRST, sentence=0, hop=1),
        Gold(title="Ostby Rovers", text=SECOND, sentence=0, hop=2),
    )


def test_a_sentence_that_is_not_there_leaves_its_title(tmp_path: Path) -> None:
    row = {**sets.HOTPOTQA, "supporting_facts": [["Mira Tolland", 7], ["Nowhere", 0]]}
    question = only(write_lines(tmp_path / "a.jsonl", row))
    assert [(gold.title, gold.text) for gold in question.gold] == [("Mira Tolland", ""), ("Nowhere", "")]


def test_musique_gives_whole_paragraphs_in_the_order_of_the_steps(tmp_path: Path) -> None:
    question = only(write_lines(tmp_path / "a.jsonl", sets.MUSIQUE))
    assert (question.type, question.hops, question.accepted) == ("2hop", 2, ("Halden",))
    assert [(gold.hop, gold.title) for gold in question.gold] == [(1, "Mira Tolland"), (2, "Ostby Rovers")]
    assert question.gold[0].text == "".join(sets.MIRA)


def test_what_can_not_be_answered_is_a_null_question(tmp_path: Path) -> None:
    unanswerable = only(write_lines(tmp_path / "a.jsonl", {**sets.MUSIQUE, "answerable": False}))
    absent = only(write_lines(tmp_path / "b.jsonl", sets.KG_RAG_ABSENT))
    null = only(write_lines(tmp_path / "c.jsonl", sets.MULTIHOP_RAG_NULL))
    for question in (unanswerable, absent, null):
        assert question.type == "null"
        assert question.gold == ()
        assert question.answer.startswith("Insufficient information")


def test_morehopqa_takes_the_titles_of_its_steps(tmp_path: Path) -> None:
    question = only(write_array(tmp_path / "a.json", sets.MOREHOPQA))
    assert (question.id, question.answer, question.hops, question.type) == ("m1", "H", 3, "Symbolic")
    assert [(gold.hop, gold.title) for gold in question.gold] == [(1, "Mira Tolland"), (2, "Ostby Rovers")]
    assert question.gold[1].text == "".join(sets.ROVERS)


def test_multihop_rag_has_facts_with_their_articles_and_row_numbers_for_ids(tmp_path: Path) -> None:
    path = write_array(tmp_path / "MultiHopRAG.json", sets.MULTIHOP_RAG_NULL, sets.MULTIHOP_RAG)
    (null, question), rejects = read(path)
    assert rejects == []
    assert (null.id, question.id) == ("0", "1")
    assert (question.type, question.hops) == ("inference", 2)
    assert question.gold[1] == Gold(title="Ostby Rovers", url="https://two", text=SECOND, hop=2)


def test_the_sample_of_multihop_rag_is_two_files(tmp_path: Path) -> None:
    queries = {"queries": [{"id": "7", "question": sets.QUESTION, "question_type": "inference_query"}]}
    truth = {"7": {"answer": "Halden Shipping", "evidence_list": sets.MULTIHOP_RAG["evidence_list"]}}
    (tmp_path / "x_queries.json").write_text(json.dumps(queries))
    (tmp_path / "x_ground_truth.json").write_text(json.dumps(truth))
    (question,), _ = read(tmp_path)
    assert (question.id, question.answer, len(question.gold)) == ("7", "Halden Shipping", 2)
    for name in ("x_queries.json", "x_ground_truth.json"):
        assert read(tmp_path / name)[0] == [question]
    (tmp_path / "x_ground_truth.json").write_text("{}")
    assert "no answer in the other file" in read(tmp_path)[1][0].reason


def test_kg_rag_names_chunks(tmp_path: Path) -> None:
    question = only(write_lines(tmp_path / "a.jsonl", sets.KG_RAG))
    assert question.gold == (Gold(given_id="c1", hop=1), Gold(given_id="c2", hop=2))
    assert (question.type, question.hops) == ("compositional", 2)


def test_plain_rows_name_evidence_in_every_way(tmp_path: Path) -> None:
    question = only(write_lines(tmp_path / "a.jsonl", sets.PLAIN))
    assert (question.answer, question.accepted) == ("Halden Shipping", ("Halden",))
    assert question.gold == (
        Gold(title="Mira Tolland", text=FIRST),
        Gold(text=SECOND),
        Gold(title="Ostby Rovers"),
        Gold(given_id="c9"),
    )


def test_a_beir_folder_is_read_by_its_judgements(tmp_path: Path) -> None:
    folder = sets.write_beir(tmp_path / "set")
    (question,), rejects = read(folder)
    assert (question.id, question.text, question.answer) == ("q1", sets.QUESTION, "")
    assert [gold.given_id for gold in question.gold] == ["d1", "d2"]
    assert [reject.place for reject in rejects] == [
        f"{folder / 'qrels' / 'test.tsv'}:5",
        str(folder / "qrels" / "test.tsv"),
    ]
    assert "'q9' is judged but not among the queries" in rejects[1].reason
    (other,), _ = read(folder / "qrels" / "dev.tsv")
    assert (other.id, other.answer) == ("q3", "by the sea")


def test_a_beir_folder_without_judgements_is_refused(tmp_path: Path) -> None:
    folder = sets.write_beir(tmp_path / "set")
    for path in (folder / "qrels").iterdir():
        path.unlink()
    with pytest.raises(InputError, match="no file of judgements"):
        read(folder)


def test_bad_rows_are_named_and_the_others_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    bad = [
        {**sets.HOTPOTQA, "_id": "b1", "question": " "},
        {**sets.HOTPOTQA, "_id": "b2", "supporting_facts": [["Mira Tolland", "first"]]},
        {**sets.HOTPOTQA, "_id": "b3", "supporting_facts": "Mira Tolland"},
        {**sets.HOTPOTQA, "question": "Another question under the same id?"},
    ]
    write_lines(path, sets.HOTPOTQA, *bad, {**sets.HOTPOTQA, "_id": "h2"})
    with path.open("a") as file:
        file.write('{"_id": "cut off\n')
    questions, rejects = read(path)
    assert [question.id for question in questions] == ["h1", "h2"]
    assert [(reject.place, reject.reason.split(":")[0]) for reject in rejects] == [
        (f"{path}:2", "there is no question"),
        (f"{path}:3", "one of its supporting_facts is not a title with a sentence number"),
        (f"{path}:4", "its supporting_facts are not a list"),
        (f"{path}:5", f"its id 'h1' is that of the question at {path}"),
        (f"{path}:7", "invalid JSON in line 7, column 9"),
    ]


def test_a_form_can_be_given_and_must_exist(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", sets.HOTPOTQA)
    assert only(path, "jsonl").gold == ()
    with pytest.raises(SettingsError, match="'trivia' is not a form"):
        read_questions(path, "trivia")


@pytest.mark.parametrize("row", [{"title": "An article", "body": "Words."}, {"name": "x"}])
def test_a_file_without_questions_is_refused(tmp_path: Path, row: object) -> None:
    with pytest.raises(InputError, match="form of these questions is not known"):
        read_questions(write_lines(tmp_path / "a.jsonl", row))


def test_a_file_with_nothing_to_tell_its_form_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[]")
    with pytest.raises(InputError, match="holds no questions"):
        read_questions(path)
    path.write_text('[{"question": "Who')
    with pytest.raises(InputError, match="the file ends inside this element"):
        read_questions(path)


def test_a_file_of_more_rows_than_any_set_has_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.datasets.question.MOST_ROWS", 20)
    rows = [{**sets.PLAIN, "id": str(at)} for at in range(20)]
    assert len(read(write_lines(tmp_path / "a.jsonl", *rows))[0]) == 20
    # Rows set aside count too, and so do those that are none.
    with pytest.raises(InputError, match=r"b\.jsonl has more than 20 rows") as caught:
        read(write_lines(tmp_path / "b.jsonl", *rows, 1))
    assert caught.value.exit_code == 2
    assert caught.value.remedy


def test_a_set_of_more_judgements_than_can_be_held_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qrels").mkdir()
    write_lines(tmp_path / "queries.jsonl", {"_id": "q", "text": "Who?"})
    judged = tmp_path / "qrels" / "test.tsv"
    judged.write_text("query-id\tcorpus-id\tscore\n" + "".join(f"q\td{at}\t1\n" for at in range(21)))
    assert len(only(tmp_path).gold) == 21
    monkeypatch.setattr("services.datasets.formats.beir.MOST_JUDGEMENTS", 20)
    with pytest.raises(InputError, match=r"test\.tsv has more than 20 judgements"):
        read(tmp_path)


@pytest.mark.parametrize("limit", [131_072, 10_000_000], ids=["of a new process", "that a reader raised"])
def test_a_line_that_is_too_long_for_a_judgement_is_refused_at_any_limit_of_csv(
    tmp_path: Path, limit: int
) -> None:
    (tmp_path / "qrels").mkdir()
    write_lines(tmp_path / "queries.jsonl", {"_id": "q", "text": "Who?"})
    (tmp_path / "qrels" / "test.tsv").write_text("q\t" + "d" * 200_000 + "\t1\n")
    before = csv.field_size_limit(limit)
    try:
        with pytest.raises(InputError, match=r"test\.tsv: a line is too long for a judgement"):
            read(tmp_path)
    finally:
        csv.field_size_limit(before)


def test_a_sample_that_is_too_large_or_too_deep_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ground_truth.json").write_text("{}")
    (tmp_path / "queries.json").write_text("[" * 200_000)
    with pytest.raises(InputError, match=r"queries\.json: it is not JSON"):
        read(tmp_path)
    monkeypatch.setattr("services.datasets.formats.multihop_rag.MOST_BYTES", 100_000)
    with pytest.raises(InputError, match=r"queries\.json has more than the 100,000 bytes"):
        read(tmp_path)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(rows: int) -> int:
        path = write_lines(
            tmp_path / "a.jsonl", *({**sets.MUSIQUE, "id": f"2hop__{at}"} for at in range(rows))
        )
        tracemalloc.start()
        count = sum(1 for _ in read_questions(path))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == rows
        return most

    # What stays is the id and the place of each question, under a kilobyte of the 1.4 that a row takes.
    assert peak(4_000) - peak(1_000) < 3_000 * 500


@examples("name, form, questions, pieces")
def test_real_files_are_read_whole(
    shared_data: Path, name: str, form: str, questions: int, pieces: int
) -> None:
    found, rejects = read(shared_data / name)
    assert tell_format(shared_data / name) == form
    assert rejects == []
    assert len(found) == questions
    assert sum(len(question.gold) for question in found) == pieces
    assert all(gold.text or gold.given_id for question in found for gold in question.gold)


def test_the_real_sample_has_the_four_types_of_multihop_rag(shared_data: Path) -> None:
    found, _ = read(shared_data / "multihop_rag")
    assert Counter(question.type for question in found) == {
        "inference": 161,
        "comparison": 154,
        "temporal": 114,
        "null": 71,
    }
    assert all((question.type == "null") == (not question.gold) for question in found)
