"""`kg graph export`."""

from pathlib import Path

from tests.cli.conftest import Built, Kg
from tests.examples import examples


def test_a_folder_is_written_once_and_replaced_on_wish(kg: Kg, built: Built, tmp_path: Path) -> None:
    where = ("graph", "export", "graphml", "--out", str(tmp_path / "out"), "--corpus", built.corpus)
    first = kg(*where, "--licence", "CC0 1.0", "--json")
    assert first.code == 0
    assert first.json["nodes"]["Corpus"] == 1
    assert {one["name"] for one in first.json["files"]} == {"graph.graphml", "README.md"}
    assert (tmp_path / "out" / "manifest.json").is_file()
    again = kg(*where)
    assert again.code == 2
    assert "--force" in again.err
    forced = kg(*where, "--force")
    assert forced.code == 0
    assert "--no-texts" in forced.err
    assert f"{sum(first.json['edges'].values()):,} edges" in forced.out


@examples("arguments, named")
def test_a_mistake_writes_nothing(kg: Kg, tmp_path: Path, arguments: tuple[str, ...], named: str) -> None:
    ended = kg("graph", "export", *arguments)
    assert ended.code == 2
    assert named in ended.err
    assert not (tmp_path / "out").exists()
