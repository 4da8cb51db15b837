"""Prompts are files, `kg/prompts/<name>.md`, with a version that is recorded with all that they make.

    ---
    name: write-claims
    version: 1
    purpose: Facts of a passage as claims that stand alone.
    ---
    # System
    You read news ...
    # User
    {{sentences}}

A changed text is a new version. Placeholders are lower-case names in double braces. What an article or a
model wrote goes into a prompt through `fence` only; `kg/prompts/shared/fences.md` stands at the end of every
system message and says what a fence means.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kg.errors import HopgradeError
from kg.llm.protocol import Message

_FILE = re.compile(r"---\n(?P<head>.*?)\n---\n# System\n(?P<system>.+?)\n# User\n(?P<user>.+)", re.DOTALL)
_FIELDS = ("name", "version", "purpose")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_LOOKS_LIKE_ONE = re.compile(r"\{\{\s*[A-Za-z_]\w*\s*\}\}")
_LABEL = re.compile(r"[\w .,:#-]{1,80}")

_TURN_MARK = re.compile(
    r"<\||\|>|</?(?:s|bos|eos|think|start_of_turn|end_of_turn)>|<</?SYS>>|\[/?INST\]", re.IGNORECASE
)
"""With these, the chat templates of some servers begin and end a message, wherever they stand."""

_KEPT_FORMATS = "\u00ad\u200c\u200d"
"""Soft hyphens and joiners belong to the spelling of words."""


class PromptFileError(HopgradeError):
    """A file under kg/prompts/ breaks the rules, or is filled with the wrong values."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with its placeholders open."""

    name: str
    version: int
    purpose: str
    system: str
    user: str

    @property
    def id(self) -> str:
        """Name and version, as recorded: "write-claims@1"."""
        return f"{self.name}@{self.version}"

    @property
    def placeholders(self) -> frozenset[str]:
        """The names of the values that it wants."""
        return frozenset(_PLACEHOLDER.findall(f"{self.system}\n{self.user}"))

    def fill(self, **values: str) -> tuple[Message, ...]:
        """The messages with every placeholder replaced; values are never searched for placeholders.

        Raises:
            PromptFileError: a value is missing or unknown.
        """
        if values.keys() != self.placeholders:
            missing, unknown = (
                sorted(self.placeholders - values.keys()),
                sorted(values.keys() - self.placeholders),
            )
            raise PromptFileError(f"prompt {self.id}: missing values {missing}, unknown values {unknown}.")
        system, user = (
            _PLACEHOLDER.sub(lambda match: values[match[1]], text) for text in (self.system, self.user)
        )
        return (Message("system", f"{system}\n\n{_about_fences()}"), Message("user", user))


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt in `kg/prompts/<name>.md`.

    Raises:
        PromptFileError: there is no such file, or it breaks the rules.
    """
    if not _NAME.fullmatch(name):
        raise PromptFileError(f"{name!r} is not the name of a prompt, such as 'write-claims'.")
    try:
        source = (files("kg") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptFileError(f"there is no prompt kg/prompts/{name}.md.") from error
    return parse_prompt(name, source)


def all_prompts() -> tuple[Prompt, ...]:
    """Every prompt, in the order of their names."""
    names = (entry.name for entry in (files("kg") / "prompts").iterdir())
    return tuple(load_prompt(name.removesuffix(".md")) for name in sorted(names) if name.endswith(".md"))


def parse_prompt(name: str, source: str) -> Prompt:
    """A prompt from a file's text.

    Raises:
        PromptFileError: the file breaks the rules.
    """
    match = _FILE.fullmatch(source.replace("\r\n", "\n"))
    if match is None:
        raise _file_error(
            name, "it needs a head between two lines of ---, then '# System' and '# User' with a text"
        )
    head = dict(_field(name, line) for line in match["head"].splitlines())
    if tuple(head) != _FIELDS or not all(head.values()):
        raise _file_error(name, f"its head needs {', '.join(_FIELDS)}, in this order")
    if head["name"] != name:
        raise _file_error(name, f"its head calls it {head['name']!r}")
    if not head["version"].isdecimal():
        raise _file_error(name, f"its version {head['version']!r} is not a whole number")
    for found in _LOOKS_LIKE_ONE.findall(match["system"] + match["user"]):
        if not _PLACEHOLDER.fullmatch(found):
            raise _file_error(name, f"{found} is not a placeholder such as {{{{sentences}}}}")
    return Prompt(name, int(head["version"]), head["purpose"], match["system"].strip(), match["user"].strip())


def fence(text: str, label: str) -> str:
    """Text that others wrote, between two marks that it can't contain; the same text gives the same marks.

    The marks carry a hash of the text. Control and other unseen characters are written out, and marks with
    which chat templates begin or end a message are broken up. `label` says what it is: "sentence 3".

    Raises:
        ValueError: the label could be taken for part of the mark.
    """
    if not _LABEL.fullmatch(label):
        raise ValueError(f"{label!r} can't be the label of a fence")
    shown = _TURN_MARK.sub(lambda match: f"{match[0][0]} {match[0][1:]}", _escape_invisible(text))
    mark = hashlib.sha256(f"{label}\n{shown}".encode("utf-8", "surrogatepass")).hexdigest()[:16]
    while mark in shown:
        mark = hashlib.sha256(mark.encode("ascii")).hexdigest()[:16]
    return f"<<data {mark}: {label}>>\n{shown}\n<<end {mark}>>"


def _escape_invisible(text: str) -> str:
    unseen = {ord(one): f"\\u{{{ord(one):x}}}" for one in set(text) if not _is_visible(one)}
    return text.translate(unseen) if unseen else text


def _is_visible(one: str) -> bool:
    if one in "\n\t" or one in _KEPT_FORMATS:
        return True
    return unicodedata.category(one) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}


@cache
def _about_fences() -> str:
    return (files("kg") / "prompts" / "shared" / "fences.md").read_text(encoding="utf-8").strip()


def _field(name: str, line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise _file_error(name, f"{line!r} in its head is not 'key: value'")
    return key.strip(), value.strip()


def on_one_line(text: str) -> str:
    """The text with single blanks, for a list in a fence: nothing in it passes for a line of its own."""
    return " ".join(text.split())


def _file_error(name: str, reason: str) -> PromptFileError:
    return PromptFileError(f"kg/prompts/{name}.md: {reason}.")
