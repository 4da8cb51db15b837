"""The graph platform: how knowledge gets into Neo4j and out of it.

The public Python API is `hopgrade`; its names are found here too until the next release, with a warning.
"""

from importlib import import_module
from warnings import warn

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """A name of the public API, as `import kg` gave it before there was `hopgrade`."""
    api = import_module("hopgrade")
    if name not in api.__all__:
        raise AttributeError(f"module 'kg' has no attribute {name!r}")
    warn(f"kg.{name} has moved to hopgrade.{name}", DeprecationWarning, stacklevel=2)
    return getattr(api, name)
