"""Every error that Hopgrade raises on purpose.

    HopgradeError                 the root: what went wrong, with what, and the remedy
    ├── UserError                 the caller can mend it; the command line exits with 2
    │   ├── InputError            an article file or one of its rows can't be used
    │   ├── SettingsError         a setting or an option has a value that can't work
    │   ├── CorpusError           the corpus is missing, or was made with other settings
    │   └── NothingToDoError      a stage has no input; the message says which step comes before
    ├── ServerError               the managed Neo4j can't be fetched, started or stopped
    │   ├── DownloadError         a server file can't be fetched, or its checksum is wrong
    │   ├── PortInUseError        a port that was asked for is taken
    │   └── StartError            the server died or did not answer; holds the end of its log
    ├── StoreError                Neo4j refused a statement, or can't be reached
    │   ├── StoreUnavailableError no server answers at the address
    │   ├── StoreTooOldError      the server lacks a feature that is needed
    │   ├── StoreTooNewError      a newer Hopgrade made or migrated the store
    │   └── StoreFailedError      the database gave up, mostly because its disk is full; a restart mends it
    ├── DiskFullError             so little room is left that nothing more is written
    ├── QueryFileError            a file under cypher/ breaks the header's rules
    ├── EngineError               what does the work has no worker, or is out of reach
    ├── EmbeddingError            an embedder can't be loaded, or an endpoint refused
    └── ModelError                a language model's endpoint can't be used
        ├── ModelRefusedError     it refused the request for good: key, model name, address, request
        ├── ModelUnavailableError it does not answer, however often it is asked
        └── BudgetReachedError    the budget of tokens or money is spent; what was answered is kept

Each message is one sentence that says what and where; `remedy` is the next step for the reader.
"""

import re
from shlex import quote

_PROGRAM = "kg"


def command(words: str, *values: str) -> str:
    """A command that a reader may type next, as remedies name it; tests hold each to the command tree.

    `words` are its name with options and placeholders ("corpus ingest FILE --corpus"); `values` follow them,
    quoted for a shell.
    """
    return " ".join((_PROGRAM, words, *map(quote, values)))


def installation(extra: str) -> str:
    """What installs an extra where Hopgrade lies, as remedies name it: no package index has Hopgrade."""
    return f".venv/bin/pip install -e '.[{extra}]' in the folder of Hopgrade"


_PLACE = re.compile(r"[^/?#]*")
_HOST = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(:\d*)?")
_AFTER_THE_PATH = re.compile(r"[?#].*", re.DOTALL)


def shown_address(address: str) -> str:
    """An address without user, password, parameters and fragment; other text without an "@" stays as it is.

    A password may hold a slash or a question mark, where it should not: then all before the last "@" goes.
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address.rpartition("@")[2]
    place = _PLACE.findall(rest)[0]
    host = place.rpartition("@")[2]
    whole = _HOST.fullmatch(host) is not None
    shown = host + rest[len(place) :] if whole else rest.rpartition("@")[2]
    return f"{scheme}{separator}{_AFTER_THE_PATH.sub('?...', shown)}"


class HopgradeError(Exception):
    """What went wrong (`message`) and what to do about it (`remedy`)."""

    exit_code = 1

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class UserError(HopgradeError):
    """A mistake that the caller can mend."""

    exit_code = 2


class AbandonedError(HopgradeError):
    """Work was stopped because nobody waits for it: a request that timed out, or a server that ends."""


class TokenNeededError(UserError):
    """A server without a token was asked for what spends on a model."""


class InputError(UserError):
    """An article file, or a row in it, can't be used."""


class SettingsError(UserError):
    """A setting or an option has a value that can't work."""


class CorpusError(UserError):
    """The corpus is missing, or was made with settings that contradict these."""


class NothingToDoError(UserError):
    """A stage found no input."""


class ServerError(HopgradeError):
    """The managed Neo4j can't be fetched, started or stopped."""


class DownloadError(ServerError):
    """A server file can't be fetched, or what came has the wrong checksum."""


class PortInUseError(ServerError):
    """A port that was asked for is taken by another process."""

    exit_code = 2


class StartError(ServerError):
    """The server died at start or did not answer in time."""

    def __init__(self, message: str, remedy: str = "", log_tail: str = "") -> None:
        super().__init__(message, remedy)
        self.log_tail = log_tail


class StoreError(HopgradeError):
    """Neo4j refused a statement."""


class StoreUnavailableError(StoreError):
    """No server answers at the address, or it refused the credentials."""

    exit_code = 2


class StoreTooOldError(StoreError):
    """The server lacks a version or a feature that is needed."""

    exit_code = 2


class StoreTooNewError(StoreError):
    """A newer Hopgrade made or migrated the store."""

    exit_code = 2


class StoreFailedError(StoreError):
    """The database gave up after an error of its own, mostly a full disk; a restart mends it."""


class DiskFullError(HopgradeError):
    """So little room is left on the disk that nothing more is written; what was committed stays."""

    exit_code = 2


class QueryFileError(HopgradeError):
    """A file under cypher/ breaks the rules of its header."""


class EngineError(HopgradeError):
    """What does the work (`--engine`) has no worker, or is out of reach."""


class EmbeddingError(HopgradeError):
    """An embedder can't be loaded, or its endpoint refused."""


class ModelError(HopgradeError):
    """A language model's endpoint can't be used."""


class ModelRefusedError(ModelError):
    """The endpoint refused for good: a wrong key, model name, address or request."""

    exit_code = 2


class ModelUnavailableError(ModelError):
    """The endpoint did not answer, however often it was asked; what was answered before is kept."""


class BudgetReachedError(ModelError):
    """The budget of tokens or money is spent; what was answered before is kept."""

    exit_code = 3
