"""A system that is an object of the user's own Python code, named as MODULE:NAME."""

import sys
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import TracebackType

from kg.errors import HopgradeError, SettingsError
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
        SettingsError: there is no such module or name, or the module fails when it is imported.
    """
    module_name, colon, attribute = name.partition(":")
    if not colon or not module_name or not attribute:
        raise SettingsError(f"{name!r} does not name a callable.", _FORM)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        with ExitStack() as importing:
            importing.push(partial(_told, module_name, folder))
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


def callable_outside(
    name: str, system: OwnSystem, patience: Patience, generator: str = "", prompts: tuple[str, ...] = ()
) -> Outside:
    """A callable, known by its MODULE:NAME, as what a run takes.

    `generator` and `prompts` are of ours, where the callable only retrieves: others make the run anew. What
    it does inside can't be seen, so that a changed one has to be given another name of a run.
    """
    asked = own_outside(
        name=name.rpartition(":")[2],
        system=f"callable {name}",
        source=content_hash((name,)),
        own=lambda: nullcontext(system),
        patience=patience,
    )
    return replace(asked, generator=generator, prompts=prompts)


def _told(
    module: str,
    folder: Path,
    kind: type[BaseException] | None,
    error: BaseException | None,
    at: TracebackType | None,
) -> bool:
    """Turn what a module raises into one sentence with the line of the user's code that it came from."""
    # What an import itself may raise is told by the caller.
    if not isinstance(error, Exception | SystemExit) or isinstance(
        error, HopgradeError | ImportError | SyntaxError
    ):
        return False
    frames = extract_tb(at)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)] or frames
    said = " ".join(str(error).split())
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    raise SettingsError(
        f"the module {module!r} fails when it is imported, at {own[-1].filename}:{own[-1].lineno}: {what}.",
        "Mend the module.",
    ) from error
