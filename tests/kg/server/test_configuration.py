import hashlib
import stat
from pathlib import Path

import pytest

from kg.errors import ServerError
from kg.server.configuration import auth_line, ensure_password, read_password
from kg.server.layout import ServerHome


@pytest.fixture
def home(tmp_path: Path) -> ServerHome:
    made = ServerHome(tmp_path / "home")
    made.make_folders()
    return made


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_reads_the_home_and_the_password(home: ServerHome) -> None:
    ensure_password(home)
    assert mode(home.folder) == 0o700
    assert mode(home.password_file) == mode(home.auth_file) == 0o600


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    ServerHome(tmp_path).make_folders()
    assert mode(tmp_path) == 0o755
    assert mode(tmp_path / "data") == mode(tmp_path / "run") == 0o700


def test_each_home_has_its_own_long_password_and_keeps_it(home: ServerHome, tmp_path: Path) -> None:
    other = ServerHome(tmp_path / "other")
    other.make_folders()
    password = ensure_password(home)
    assert len(password) >= 20
    assert ensure_password(home) == password != ensure_password(other)


def test_the_password_is_hashed_1024_times() -> None:
    salt = bytes(32)
    digest = salt + b"secret"
    for _ in range(1024):
        digest = hashlib.sha256(digest).digest()
    assert auth_line("secret", salt) == f"neo4j:SHA-256,{digest.hex()},{'00' * 32},1024:"


def test_a_lost_password_of_a_store_is_an_error_and_not_a_new_password(home: ServerHome) -> None:
    home.system_store.mkdir(parents=True)
    with pytest.raises(ServerError, match="kg server reset"):
        ensure_password(home)
    home.password_file.write_text("\n")
    with pytest.raises(ServerError, match="password"):
        read_password(home)


def test_a_home_that_can_not_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerError, match="HOPGRADE_HOME"):
        ServerHome(tmp_path / "file" / "home").make_folders()
