"""The text of a gold file, or one sentence on why it can't be had."""

from pathlib import Path

from kg.errors import InputError


def read_gold_text(path: Path, remedy: str) -> str:
    """The text of a gold file; `remedy` says what it should hold.

    Raises:
        InputError: there is no such file, it can't be opened, or it is no UTF-8 text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InputError(f"{path} can't be read: there is no such file.", "Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} can't be read: it is no UTF-8 text.", remedy) from error
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.", remedy) from error
