"""Datasets of the small world, in every format: written, read back, verified, split."""

import csv
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from kg.errors import HopgradeError, InputError, NothingToDoError, SettingsError
from kg.ingest.read import read_articles
from kg.model import ArticleRow
from kg.progress import Silent
from kg.store.graph import Graph
from services.datasets.choose import FORMATS, choose_format, read_questions, tell_format
from services.datasets.description import licence_lines
from services.datasets.export_dataset import ExportedDataset, ExportOptions, export_dataset, verify_export
from services.datasets.folder import MANIFEST, Account, ExportWriter, read_manifest
from services.datasets.formats import hopgrade, plain
from services.datasets.question import BenchmarkQuestion
from services.datasets.records import GoldRecord
from services.datasets.source import Dataset, DatasetFormat, open_dataset
from tests.examples import examples
from tests.small_world import ARTICLES

SHARES = {"train": 0.5, "test": 0.5}
PLAIN = ExportOptions()


@pytest.fixture(scope="module")
def exported(graph: Graph, small_corpus: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every format in a folder of its name, read back on the way."""
    folder = tmp_path_factory.mktemp("exported")
    for name in FORMATS:
        _export(graph, small_corpus, name, folder / name, ExportOptions(verify=True, licence="cc-by-4.0"))
    return folder


def _export(
    graph: Graph, corpus: str, name: str, out: Path, options: ExportOptions = PLAIN
) -> ExportedDataset:
    return export_dataset(graph, corpus, choose_format(name), out, options, Silent())


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _questions(path: Path, form: str) -> list[BenchmarkQuestion]:
    found = list(read_questions(path, form))
    assert all(isinstance(one, BenchmarkQuestion) for one in found), found
    return [one for one in found if isinstance(one, BenchmarkQuestion)]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_verified_and_notices_a_change(exported: Path, tmp_path: Path, name: str) -> None:
    found = verify_export(exported / name)
    assert found.sound
    assert all(one.equal and one.written == one.found > 0 for one in found.compared)
    # The manifest holds the checksums of the others, and none of its own.
    files = [path for path in found.folder.rglob("*") if path.is_file() and path.name != MANIFEST]
    victim = max(files, key=lambda path: path.stat().st_size)
    before = victim.read_bytes()
    try:
        victim.write_bytes(before.replace(b"Halden", b"Holden", 1) + b" ")
        assert not verify_export(exported / name).sound
    finally:
        victim.write_bytes(before)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_gives_the_same_bytes_twice(
    graph: Graph, small_corpus: str, exported: Path, tmp_path: Path, name: str
) -> None:
    _export(graph, small_corpus, name, tmp_path / "again", ExportOptions(licence="cc-by-4.0"))
    assert _bytes(tmp_path / "again") == _bytes(exported / name)


@pytest.mark.parametrize("name", FORMATS)
def test_no_article_is_in_two_splits(graph: Graph, small_corpus: str, tmp_path: Path, name: str) -> None:
    found = _export(graph, small_corpus, name, tmp_path / name, ExportOptions(SHARES, verify=True))
    assert [split["name"] for split in found.splits] == ["train", "test"]
    assert found.straddling > 0
    assert verify_export(tmp_path / name).sound
    if name != "hotpotqa":
        return
    shown = [
        {
            title
            for row in json.loads((tmp_path / name / split / "questions.json").read_text())
            for title, _ in row["context"]
        }
        for split in SHARES
    ]
    assert shown[0], found.splits
    assert not shown[0] & shown[1]


def test_our_own_format_keeps_everything(graph: Graph, small_corpus: str, exported: Path) -> None:
    dataset = open_dataset(graph, small_corpus, {}, 0)
    assert list(hopgrade.read_articles(exported / "hopgrade")) == list(dataset.articles())
    assert list(hopgrade.read_questions(exported / "hopgrade")) == list(dataset.questions())
    articles = list(dataset.articles())
    assert sorted(one.body for one in articles) == sorted(ARTICLES.values())
    chains = [one for one in dataset.questions() if one.kind == "chain"]
    assert {one.hops for one in chains} == {2, 3, 4, 5}
    for one in chains:
        assert [stop.name for stop in one.stops[1:]] and len(one.facts) == one.hops
        assert one.difficulty.keys() == {"min", "mean", "power"}
        assert {gold.hop for gold in one.gold} == set(range(1, one.hops + 1))
        assert all(
            first.entity_after == (second.object if second.reversed else second.subject)
            for first, second in pairwise(one.facts)
            if second.link == "shared"
        )


def test_importers_tell_the_formats_by_their_content(exported: Path) -> None:
    told = {
        "multihop-rag": "MultiHopRAG.json",
        "hotpotqa": "questions.json",
        "2wiki": "questions.json",
        "musique": "questions.jsonl",
        "beir": "",
    }
    for name, file in told.items():
        assert tell_format(exported / name / file) == name


def test_hotpotqa_names_the_sentences_of_a_chain(graph: Graph, small_corpus: str, exported: Path) -> None:
    dataset = {one.id: one for one in open_dataset(graph, small_corpus, {}, 0).questions()}
    for question in _questions(exported / "hotpotqa/questions.json", "hotpotqa"):
        record = dataset[question.id]
        if record.kind == "chain":
            sentences = {fact.sentence for fact in record.facts}
            assert {gold.text for gold in question.gold} == sentences
    rows = json.loads((exported / "hotpotqa/questions.json").read_text())
    for row in rows:
        titles = [title for title, _ in row["context"]]
        assert len(set(titles)) == len(titles) >= 6


def test_musique_leads_from_step_to_step(exported: Path) -> None:
    rows = [json.loads(line) for line in (exported / "musique/questions.jsonl").read_text().splitlines()]
    long = [row for row in rows if len(row["question_decomposition"]) == 5]
    assert long
    for row in long:
        steps = row["question_decomposition"]
        assert all(f"#{number}" in step["question"] for number, step in enumerate(steps) if number)
        for step in steps:
            assert row["paragraphs"][step["paragraph_support_idx"]]["is_supporting"]
    null = [row for row in rows if not row["answerable"]]
    assert all(not any(one["is_supporting"] for one in row["paragraphs"]) for row in null)


def test_multihop_rag_brings_its_corpus(exported: Path) -> None:
    articles = [
        one
        for one in read_articles([exported / "multihop-rag/corpus.json"], {})
        if isinstance(one, ArticleRow)
    ]
    assert {one.body for one in articles} == set(ARTICLES.values())
    for question in _questions(exported / "multihop-rag/MultiHopRAG.json", "multihop-rag"):
        for gold in question.gold:
            assert any(gold.text in body for body in ARTICLES.values())


def test_squad_answers_stand_where_it_says(exported: Path) -> None:
    data = json.loads((exported / "squad/questions.json").read_text())
    assert data["version"] == "v2.0"
    asked = 0
    for article in data["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                asked += not question["is_impossible"]
                assert bool(question["answers"]) != question["is_impossible"]
                for answer in question["answers"]:
                    start = answer["answer_start"]
                    assert paragraph["context"][start:].startswith(answer["text"])
    assert asked


def test_grade_has_chains_alone(exported: Path) -> None:
    rows = [json.loads(line) for line in (exported / "grade/questions.jsonl").read_text().splitlines()]
    assert rows
    for row in rows:
        assert len(row["triples"]) == len(row["claims"]) == row["hop"]
        assert 0 <= row["retrieval_difficulty"] <= 2


def test_grade_names_a_chunk_of_two_hops_once() -> None:
    gold = tuple(GoldRecord(hop, chunk, "a", 0, 4, None) for hop, chunk in ((1, "k1"), (2, "k1"), (2, "k2")))
    assert plain.hops_of_chunks(gold) == {"k1": [1, 2], "k2": [2]}


def test_hotpotqa_sentences_join_as_they_are_and_aliases_are_others(exported: Path) -> None:
    rows = json.loads((exported / "hotpotqa/questions.json").read_text())
    for row in rows:
        assert row["answer"] not in row["answer_aliases"]
        for _, sentences in row["context"]:
            assert not sentences[0].startswith(" ")
            assert all(one.startswith(" ") for one in sentences[1:])


@examples("licence, told")
def test_a_card_names_licences_as_the_hub_does(licence: str, told: dict[str, str]) -> None:
    assert yaml.safe_load(licence_lines(licence)) == told


def test_parquet_is_what_pandas_reads(exported: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.read_parquet(exported / "huggingface/questions/test.parquet")
    manifest = read_manifest(exported / "huggingface")
    assert isinstance(splits := manifest["splits"], list) and isinstance(splits[0], dict)
    assert len(table) == splits[0]["questions"]
    assert set(table.columns) >= {"id", "question", "answer", "hops", "difficulty_min", "evidence", "facts"}
    ragas = pandas.read_parquet(exported / "ragas/questions.parquet")
    assert {"user_input", "reference", "reference_contexts"} <= set(ragas.columns)
    assert set(ragas["id"]) == set(table["id"])


def test_csv_tables_join_by_the_question(exported: Path) -> None:
    def rows(name: str) -> Iterator[dict[str, str]]:
        with (exported / f"csv/{name}.csv").open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)

    questions = {row["id"]: row for row in rows("questions")}
    articles = {row["id"]: row["body"] for row in rows("articles")}
    for row in rows("evidence"):
        assert row["question_id"] in questions
        assert articles[row["article_id"]][int(row["start"]) : int(row["end"])]


def test_the_card_says_what_the_dataset_is(exported: Path) -> None:
    _, front, text = (exported / "huggingface/README.md").read_text(encoding="utf-8").split("---\n", 2)
    matter = yaml.safe_load(front)
    assert matter["license"] == "cc-by-4.0"
    assert {one["config_name"] for one in matter["configs"]} == {"questions", "articles"}
    assert [one["config_name"] for one in matter["configs"] if one.get("default")] == ["questions"]
    for one in matter["configs"]:
        for file in one["data_files"]:
            assert (exported / "huggingface" / file["path"]).is_file()
    for said in (
        "cc\\-by\\-4.0",
        "seed",
        "embedder",
        "extractor",
        "| chain | 2 |",
        "## Statistics",
        "| total |",
    ):
        assert said in text


def test_null_questions_go_out_without_evidence_as_multihop_rags(exported: Path) -> None:
    rows = json.loads((exported / "multihop-rag/MultiHopRAG.json").read_text(encoding="utf-8"))
    nulls = [row for row in rows if row["question_type"] == "null_query"]
    assert nulls
    assert all(row["evidence_list"] == [] for row in nulls)
    assert all(row["evidence_list"] for row in rows if row not in nulls)


def test_where_a_null_question_begins_is_evidence_in_no_table(exported: Path) -> None:
    with (exported / "csv/questions.csv").open(encoding="utf-8", newline="") as file:
        nulls = {row["id"] for row in csv.DictReader(file) if row["kind"] == "null"}
    assert nulls
    with (exported / "csv/evidence.csv").open(encoding="utf-8", newline="") as file:
        assert not nulls & {row["question_id"] for row in csv.DictReader(file)}
    queries = (exported / "beir/queries.jsonl").read_text(encoding="utf-8").splitlines()
    assert not nulls & {json.loads(line)["_id"] for line in queries}


class _Forgetful:
    """A writer of a format that loses what it said it would write."""

    def write(self, writer: ExportWriter, dataset: Dataset, account: Account) -> None:
        with writer.text("empty.jsonl"):
            account.expect("questions", "one", "text")


def test_what_is_not_read_back_is_not_exported(graph: Graph, small_corpus: str, tmp_path: Path) -> None:
    broken = DatasetFormat("broken", "nothing", _Forgetful().write, lambda folder, splits: iter(()))
    with pytest.raises(HopgradeError, match="of 1 records in questions 0 were read back"):
        export_dataset(graph, small_corpus, broken, tmp_path / "out", ExportOptions(verify=True), Silent())
    assert list(tmp_path.iterdir()) == []


def test_a_format_without_a_place_for_any_question_is_refused(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    def write(writer: ExportWriter, dataset: Dataset, account: Account) -> None:
        for _ in dataset.questions():
            account.leave_out("", "is too long")

    narrow = DatasetFormat("narrow", "nothing", write, lambda folder, splits: iter(()))
    with pytest.raises(NothingToDoError, match="each is too long"):
        export_dataset(graph, small_corpus, narrow, tmp_path / "out", PLAIN, Silent())
    assert list(tmp_path.iterdir()) == []


def test_a_corpus_without_questions_has_no_dataset(graph: Graph, corpus: str, tmp_path: Path) -> None:
    with pytest.raises(NothingToDoError, match="kg questions make"):
        _export(graph, corpus, "hopgrade", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_unknown_formats_and_foreign_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="musique"):
        choose_format("excel")
    with pytest.raises(InputError, match="manifest"):
        verify_export(tmp_path)
    (tmp_path / MANIFEST).write_text(
        json.dumps(
            {
                "made_by": "hopgrade",
                "kind": "dataset",
                "format": "csv",
                "files": [{"name": "../other", "bytes": 1, "sha256": "0"}],
            }
        )
    )
    with pytest.raises(InputError, match="does not list"):
        verify_export(tmp_path)
