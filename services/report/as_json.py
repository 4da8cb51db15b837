"""A report as plain values for `--json`: every field, and every property that is worked out from fields."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from services.report.content import Report

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def report_json(report: Report) -> dict[str, object]:
    """The report as a document of maps, lists, numbers and strings; keys of maps are strings."""
    return {name: plain(value) for name, value in _members(report).items()}


def plain(value: object) -> object:
    """A value of dataclasses, maps and sequences as maps, lists, numbers and strings."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(member) for name, member in _members(value).items()}
    if isinstance(value, Mapping):
        return {str(key): plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    return value


def _members(value: "DataclassInstance") -> dict[str, object]:
    names = [field.name for field in fields(value)]
    worked_out = [name for name, member in vars(type(value)).items() if isinstance(member, property)]
    return {name: getattr(value, name) for name in (*names, *worked_out)}
