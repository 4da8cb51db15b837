"""A system that is an object of the user's own Python code, named as MODULE:NAME."""

import sys
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path

from kg.errors import SettingsError
from kg.ids import content_hash
from kg.own_system import OwnSystem
from services.rag.outside import Outside
from services.systems.calls import Patience
from services.systems.outside_system import own_outside

_FORM = "Name it as module:name, for example my_rag:answer; the module is looked for in this folder too."


def load_object(name: str, folder: Path) -> object:
    """The object behind MODULE:NAME; `folder` is searched before everything that is installed.

    NAME may lead through attributes: my_rag:pipeline.run.

    Raises:
        SettingsError: there is no such module or name. An error of the module itself is its own.
    """
    module_name, colon, attribute = name.partition(":")
    if not colon or not module_name or not attribute:
        raise SettingsError(f"{name!r} does not name a callable.", _FORM)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        found: object = import_module(module_name)
    except ImportError as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and (module_name == missing or module_name.startswith(f"{missing}.")):
            raise SettingsError(f"there is no module {module_name!r}.", _FORM) from error
        raise SettingsError(
            f"the module {module_name!r} can't be imported: {error}.", "Install what it needs, or mend it."
        ) from error
    except SyntaxError as error:
        where = f"{error.filename}:{error.lineno}"
        raise SettingsError(f"{where}: {error.msg}.", "Mend the module.") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise SettingsError(f"{module_name!r} has no {attribute!r}.", _FORM)
        found = getattr(found, part)
    return found


def callable_outside(name: str, system: OwnSystem, patience: Patience) -> Outside:
    """A callable, known by its MODULE:NAME, as what a run takes.

    What it does inside can't be seen, so that a changed one has to be given another name of a run.
    """
    return own_outside(
        name=name.rpartition(":")[2],
        system=f"callable {name}",
        source=content_hash((name,)),
        own=lambda: nullcontext(system),
        patience=patience,
    )
