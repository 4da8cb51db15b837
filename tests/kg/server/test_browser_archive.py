"""Browser with our guide in it: made once, made anew when something changed, and served by Neo4j itself."""

import urllib.request
import zipfile
from pathlib import Path

import psutil
import pytest

from kg.errors import ServerError
from kg.server import RunningServer
from kg.server.configuration import is_served, style_url
from kg.server.launch import put_guide_into_browser
from kg.server.layout import ServerHome

BROWSER = "http://127.0.0.1:7474/browser/"


@pytest.fixture
def home(tmp_path: Path) -> ServerHome:
    made = ServerHome(tmp_path / "home")
    made.make_folders()
    return made


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "neo4j-browser-1.jar"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "x")
        archive.writestr("browser/index.html", "<h1>Browser</h1>")
        archive.writestr("browser/assets/fonts/a.woff", b"\x00\x01")
    return path


def entries(home: ServerHome) -> dict[str, bytes]:
    with zipfile.ZipFile(home.browser_archive) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_holds_browser_and_the_guide(home: ServerHome, jar: Path) -> None:
    put_guide_into_browser(home, jar, BROWSER)
    found = entries(home)
    assert found["browser/index.html"] == b"<h1>Browser</h1>"
    assert found["browser/assets/fonts/a.woff"] == b"\x00\x01"
    assert b"carousel" in found["browser/hopgrade/guide.html"]
    assert b"node.Person" in found["browser/hopgrade/style.grass"]
    assert not any(name.startswith("META-INF") for name in found)


def test_every_folder_comes_before_what_is_in_it_and_the_root_first(home: ServerHome, jar: Path) -> None:
    put_guide_into_browser(home, jar, BROWSER)
    names = list(entries(home))
    assert names[0] == "browser/"
    for position, name in enumerate(names):
        folder = name.rstrip("/").rpartition("/")[0]
        assert not folder or f"{folder}/" in names[:position], name


def test_it_is_kept_while_it_is_whole_and_fits(home: ServerHome, jar: Path) -> None:
    put_guide_into_browser(home, jar, BROWSER)
    first = home.browser_archive.stat()
    put_guide_into_browser(home, jar, BROWSER)
    assert home.browser_archive.stat().st_ino == first.st_ino
    assert home.browser_archive.stat().st_mtime_ns == first.st_mtime_ns


def _torn(home: ServerHome) -> None:
    content = bytearray(home.browser_archive.read_bytes())
    content[len(content) // 2] ^= 0xFF
    home.browser_archive.write_bytes(content)


@pytest.mark.parametrize(
    "harm",
    [
        _torn,
        lambda home: home.browser_archive.unlink(),
        lambda home: home.browser_archive.write_bytes(b""),
        lambda home: home.browser_record.unlink(),
        lambda home: home.browser_record.write_text("{"),
    ],
)
def test_what_is_damaged_is_made_anew(home: ServerHome, jar: Path, harm: object) -> None:
    put_guide_into_browser(home, jar, BROWSER)
    whole = entries(home)
    assert callable(harm)
    harm(home)
    put_guide_into_browser(home, jar, BROWSER)
    assert entries(home) == whole


def test_another_port_makes_another_guide(home: ServerHome, jar: Path) -> None:
    put_guide_into_browser(home, jar, BROWSER)
    put_guide_into_browser(home, jar, "http://127.0.0.1:7475/browser/")
    assert b"127.0.0.1:7475/browser/hopgrade/style.grass" in entries(home)["browser/hopgrade/guide.html"]


def test_a_folder_that_can_not_be_written_is_told(home: ServerHome, jar: Path) -> None:
    home.browser_archive.parent.rmdir()
    home.browser_archive.parent.write_text("a file")
    with pytest.raises(ServerError, match="can't be put into"):
        put_guide_into_browser(home, jar, BROWSER)


@pytest.mark.campaign
def test_neo4j_serves_browser_with_the_guide_on_loopback_only(running: RunningServer) -> None:
    assert is_served(running.guide_url)
    with urllib.request.urlopen(running.browser_url) as answer:
        assert b"neo4j" in answer.read().lower()
    with urllib.request.urlopen(running.guide_url) as answer:
        assert answer.headers["Content-Type"].startswith("text/html")
        assert style_url(running.browser_url).encode() in answer.read()
    assert is_served(style_url(running.browser_url))
    listening = [
        one.laddr.ip
        for one in psutil.Process(running.pid).net_connections(kind="tcp")
        if one.status == psutil.CONN_LISTEN
    ]
    assert len(listening) >= 2
    assert {address.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}


@pytest.mark.campaign
def test_browser_may_reach_nothing_but_this_machine(running: RunningServer) -> None:
    assert is_served(running.guide_url)
    for address in (running.browser_url, running.guide_url):
        with urllib.request.urlopen(address) as answer:
            policy = answer.headers["Content-Security-Policy"]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["default-src"] == "'self'"
        sources = {source for rule in rules.values() for source in rule.split()}
        hosts = {source.partition("://")[2] for source in sources if not source.startswith("'")} - {""}
        assert hosts == {"127.0.0.1:*", "localhost:*"}
        # A bare scheme such as "https:" would let in every host.
        assert {source for source in sources if source.endswith(":")} == {"data:"}
