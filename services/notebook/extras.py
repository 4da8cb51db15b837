"""Libraries that only some users install."""

from importlib import import_module
from types import ModuleType

from kg.errors import SettingsError


def require_extra(module: str, extra: str) -> ModuleType:
    """The module, where the extra that brings it is installed.

    Raises:
        SettingsError: it is not; the remedy is the command that installs it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"the library {module.partition('.')[0]} is not installed.",
            f"Install it: pip install 'hopgrade[{extra}]'",
        ) from error
