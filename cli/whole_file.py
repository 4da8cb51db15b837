"""Write a file that a command was asked for: whole, or not at all."""

from collections.abc import Iterable
from pathlib import Path

from kg.errors import SettingsError
from kg.files import whole_file


def check_place(path: Path, option: str) -> None:
    """Make sure that a file can be written there, before the work for it begins.

    Raises:
        SettingsError: it is a folder, or its folder is missing; the remedy names the option.
    """
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise SettingsError(
            f"no file can be written at {path}.", f"Give a file in a folder that exists: {option} FILE"
        )


def write_whole(path: Path, text: str, option: str) -> None:
    """Write a file so that at its name there is always the old one or the whole new one.

    Raises:
        SettingsError: it can't be written.
    """
    write_parts(path, (text,), option)


def write_parts(path: Path, parts: Iterable[str], option: str) -> int:
    """The same in parts, of which one is in memory at a time; how many there were.

    A link is followed. What is no file, such as a pipe or /dev/stdout, can't be replaced and is written to.

    Raises:
        SettingsError: it can't be written.
    """
    count = 0
    try:
        if path.exists() and not path.is_file():
            with path.open("w", encoding="utf-8") as stream:
                for part in parts:
                    stream.write(part)
                    count += 1
            return count
        with whole_file(path.resolve()) as unfinished:
            for part in parts:
                unfinished.write(part.encode("utf-8"))
                count += 1
    except OSError as error:
        raise SettingsError(
            f"{path} can't be written: {error.strerror}.", f"Give another file: {option} FILE"
        ) from error
    return count
