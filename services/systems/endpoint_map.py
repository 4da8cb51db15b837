"""How questions go to an HTTP endpoint and answers come back, as a small YAML file tells.

    request:
      headers: {Authorization: "Bearer ${RAG_TOKEN}"}        # from the environment
      body: {query: "{question}", top_k: 10}
    response:                                                # JMESPath into the reply
      answer: data.answer
      retrieved: "data.sources[].{text: content, title: title, score: score}"

Without `response` the reply has the fields of `services.systems.replies` themselves.
"""

import os
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

import jmespath
import yaml
from jmespath.exceptions import JMESPathError
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from kg.errors import SettingsError
from kg.own_system import OwnAnswer
from services.systems.replies import BadReplyError, read_reply

QUESTION = "{question}"

_SECRET = re.compile("auth|key|token|secret|password|cookie|signature", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_LOOK = "See docs/how-to/own-system.md for what a map holds."


class RequestMap(BaseModel):
    """What is sent: `{question}` in any text of it stands for the question, `${NAME}` for a variable of the
    environment."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: Literal["GET", "POST"] = "POST"
    headers: dict[str, str] = Field(default_factory=dict)
    params: dict[str, str] = Field(default_factory=dict)
    body: JsonValue = None


class ResponseMap(BaseModel):
    """Where the fields of an answer are in the reply, as JMESPath."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: str
    retrieved: str | None = None
    steps: str | None = None
    input_tokens: str | None = None
    output_tokens: str | None = None
    cost: str | None = None
    seconds: str | None = None
    error: str | None = None


class EndpointMap(BaseModel):
    """A whole map; without anything it posts {"question": ...} and reads the reply's own fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    request: RequestMap = RequestMap()
    response: ResponseMap | None = None


def read_map(path: Path) -> EndpointMap:
    """The map in a YAML file.

    Raises:
        SettingsError: it can't be read, or says something that can't be done.
    """
    try:
        value: object = yaml.safe_load(path.read_text(encoding="utf-8"))
        found = EndpointMap.model_validate({} if value is None else value)
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}.", "Give the map as --map FILE.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not YAML: {' '.join(str(error).split())}.", _LOOK) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the map"
        raise SettingsError(f"{path}: {where}: {first['msg'].lower()}.", _LOOK) from error
    for name, expression in _expressions(found):
        try:
            jmespath.compile(expression)
        except JMESPathError as error:
            reason = str(error).partition("\n")[0]
            raise SettingsError(
                f"{path}: response.{name} is not JMESPath: {reason}.", "See https://jmespath.org."
            ) from error
    return found


def filled(value: JsonValue, question: str) -> JsonValue:
    """A value with the question in its place in every text."""
    match value:
        case str():
            return value.replace(QUESTION, question)
        case list():
            return [filled(item, question) for item in value]
        case dict():
            return {key: filled(item, question) for key, item in value.items()}
        case _:
            return value


def with_environment(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with the variables of the environment in their places.

    Raises:
        SettingsError: one is not set, or its value can't be sent.
    """
    return {name: _VARIABLE.sub(_variable, value) for name, value in headers.items()}


def secrets_in(url: str, headers: Mapping[str, str]) -> tuple[str, ...]:
    """What must not be shown where an endpoint repeats what it was sent, the longest first.

    That is every variable of the environment in the headers, what stands in a header whose name speaks of a
    secret, and of the address the password and the values of such parameters.
    """
    found = {os.environ.get(name, "") for value in headers.values() for name in _VARIABLE.findall(value)}
    found |= {value.rpartition(" ")[2] for name, value in headers.items() if _SECRET.search(name)}
    parts = urlsplit(url)
    if parts.password:
        basic = f"{unquote(parts.username or '')}:{unquote(parts.password)}"
        found |= {parts.password, unquote(parts.password), b64encode(basic.encode()).decode()}
    found |= {value for name, value in parse_qsl(parts.query) if _SECRET.search(name)}
    return tuple(sorted(found - {""}, key=len, reverse=True))


def mapped(response: ResponseMap | None, body: object) -> OwnAnswer:
    """The answer in a reply's body.

    Raises:
        BadReplyError: it isn't there, or is no answer.
    """
    if response is None:
        return read_reply(body)
    found: dict[str, object] = {}
    for name, expression in _expressions(EndpointMap(response=response)):
        try:
            found[name] = jmespath.search(expression, body)
        except JMESPathError as error:
            raise BadReplyError(f"response.{name} fails on it: {str(error).partition(chr(10))[0]}") from error
    if found.get("answer") is None and not found.get("error"):
        raise BadReplyError(f"nothing is at {response.answer!r}, where the map looks for the answer")
    return read_reply(found)


def _expressions(found: EndpointMap) -> Sequence[tuple[str, str]]:
    if found.response is None:
        return ()
    return [(name, value) for name, value in found.response.model_dump().items() if isinstance(value, str)]


def _variable(match: re.Match[str]) -> str:
    value = os.environ.get(match[1])
    if value is None:
        raise SettingsError(
            f"the map names the variable {match[1]}, which is not set.", f"Set it: export {match[1]}=..."
        )
    if not value.isascii() or not value.isprintable():
        raise SettingsError(f"{match[1]} holds a character that no header takes.", "Copy it once more.")
    return value
