"""The offline extractor and its name; the name is known without loading spaCy, which takes seconds."""

import importlib.util
from importlib.metadata import version

from kg.extract.protocol import Extractor
from kg.extract.version import MODEL_PACKAGES, MODEL_SERIES, RULES_VERSION


def extractor_name() -> str:
    """What the extractor that `make_extractor` makes records in the graph."""
    for package in MODEL_PACKAGES:
        if importlib.util.find_spec(package) and version(package).startswith(MODEL_SERIES):
            return f"rules-{RULES_VERSION}/{package}-{version(package)}"
    return f"rules-{RULES_VERSION}/no model"


def make_extractor() -> Extractor:
    """The offline extractor, loaded.

    Raises:
        SettingsError: no English model is installed.
    """
    from kg.extract.rules import RuleExtractor  # noqa: PLC0415

    return RuleExtractor()
