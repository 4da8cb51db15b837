"""Neo4j Browser with our guide in it, as an archive that Neo4j serves in place of its own Browser.

Neo4j looks into its folder `web` for `neo4j-browser.zip`, which is how Browser can be renewed. So Neo4j's
own web server carries the guide: no second process, no second port, and nothing to mend when one dies.
"""

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from kg.errors import ServerError
from kg.files import sha256_of, write_whole
from kg.server.guide import FOLDER, GUIDE_FILE, STYLE_FILE, guide_html, style_grass
from kg.server.layout import ServerHome

_ROOT = "browser/"
_LEVEL = 1
_MADE_AT = (1980, 1, 1, 0, 0, 0)


def put_guide_into_browser(home: ServerHome, browser_jar: Path, browser_url: str) -> None:
    """Have the archive in the home made of this jar and today's guide; what is whole and fits is kept.

    Raises:
        ServerError: it can't be written.
    """
    additions = {
        f"{FOLDER}/{GUIDE_FILE}": guide_html(browser_url),
        f"{FOLDER}/{STYLE_FILE}": style_grass(),
    }
    recipe = _recipe(browser_jar, additions)
    archive = home.browser_archive
    try:
        if _is_made(home, recipe):
            return
        unfinished = archive.with_suffix(".unfinished")
        _write(unfinished, browser_jar, additions)
        made = json.dumps({"recipe": recipe, "sha256": sha256_of(unfinished)})
        unfinished.replace(archive)
        write_whole(home.browser_record, made)
    except OSError as error:
        raise ServerError(
            f"Neo4j Browser can't be put into {archive.parent}: {error.strerror or error}.",
            "Free some disk space: it takes 20 MiB.",
        ) from error


def _recipe(browser_jar: Path, additions: Mapping[str, str]) -> str:
    # The jar was hashed when the files were checked; its name and size tell versions apart.
    digest = hashlib.sha256(f"{browser_jar.name} {browser_jar.stat().st_size}".encode())
    digest.update(json.dumps(additions, sort_keys=True).encode())
    return digest.hexdigest()


def _is_made(home: ServerHome, recipe: str) -> bool:
    try:
        record = json.loads(home.browser_record.read_text(encoding="utf-8"))
        return bool(record == {"recipe": recipe, "sha256": sha256_of(home.browser_archive)})
    except (FileNotFoundError, ValueError):
        return False


def _write(path: Path, browser_jar: Path, additions: Mapping[str, str]) -> None:
    with zipfile.ZipFile(browser_jar) as jar, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        seen: set[str] = set()
        for name, content in _files(jar, additions):
            # Neo4j takes the first entry as the root, and makes no folder that isn't an entry of its own.
            for folder in reversed([f"{parent}/" for parent in Path(name).parents if parent.name]):
                if folder not in seen:
                    seen.add(folder)
                    archive.writestr(zipfile.ZipInfo(folder, _MADE_AT), b"")
            entry = zipfile.ZipInfo(name, _MADE_AT)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, _LEVEL)


def _files(jar: zipfile.ZipFile, additions: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    for name in jar.namelist():
        if name.startswith(_ROOT) and not name.endswith("/"):
            yield name, jar.read(name)
    for name, text in additions.items():
        yield f"{_ROOT}{name}", text.encode("utf-8")
