"""From the option to the extractor, and to its name, which is known without loading anything."""

import importlib.util
from importlib.metadata import version
from typing import Literal, get_args

from kg.engine.choose import Engine
from kg.errors import SettingsError
from kg.extract.protocol import CONCEPTS, MODEL_PACKAGES, MODEL_SERIES, RULES_VERSION, Extractor, TimeLimit
from kg.llm.budget import Budget
from kg.llm.roles import role_endpoint
from kg.settings import Settings

ExtractorOption = Literal["rules", "model", "model-concepts"]
"""`rules`: offline, without a key; `model`: the language model of the role "extract"; `model-concepts`: the
same, told to take facts about any noun phrases, as paths with `--concepts` need them."""

EXTRACTORS: tuple[ExtractorOption, ...] = get_args(ExtractorOption)

_ARTICLES_FOR_EACH_REQUEST = 6
"""So many articles are open for each request that may be under way, so that requests never run dry."""


def parse_extractor(text: str) -> ExtractorOption:
    """The option that `text` names.

    Raises:
        SettingsError: there is no such extractor.
    """
    for option in EXTRACTORS:
        if text.strip() == option:
            return option
    raise SettingsError(f'"{text}" is not an extractor.', f"Use one of: {', '.join(EXTRACTORS)}.")


def extractor_option(name: str) -> ExtractorOption:
    """The option that chose an extractor, by the name that it records ("model-1/some-model/...")."""
    if not name.startswith("model-"):
        return "rules"
    return "model-concepts" if f"{CONCEPTS}@" in name else "model"


def extractor_name(option: ExtractorOption = "rules", settings: Settings | None = None) -> str:
    """What the extractor that `make_extractor` makes records in the graph.

    Raises:
        SettingsError: a model is to read, and none is set.
    """
    if option != "rules":
        return _model_name(settings or Settings(), option == "model-concepts")
    for package in MODEL_PACKAGES:
        if importlib.util.find_spec(package) and version(package).startswith(MODEL_SERIES):
            return f"rules-{RULES_VERSION}/{package}-{version(package)}"
    return f"rules-{RULES_VERSION}/no model"


def make_extractor(
    option: ExtractorOption = "rules",
    settings: Settings | None = None,
    budget: Budget | None = None,
    engine: Engine | None = None,
) -> Extractor:
    """The extractor; that of a model opens its endpoint when it gets the first article, not before.

    A command that uses models for several things hands the same `budget` to each. `engine` is where the rules
    read, by default this machine; requests to a model go from here, within one budget and one rate.

    Raises:
        SettingsError: no English parser is installed ("rules"), or none is set where a model reads.
    """
    if option != "rules":
        return _model_extractor(settings or Settings(), budget, option == "model-concepts")
    from kg.extract.rules import RuleExtractor  # noqa: PLC0415

    return RuleExtractor(engine, TimeLimit((settings or Settings()).hopgrade_article_seconds))


# What each extractor needs is imported only when it is chosen: spaCy takes seconds to load.


def _model_name(settings: Settings, concepts: bool) -> str:
    from kg.extract.model import model_extractor_name  # noqa: PLC0415

    return model_extractor_name(role_endpoint("extract", settings).model, concepts)


def _model_extractor(settings: Settings, budget: Budget | None, concepts: bool) -> Extractor:
    from kg.extract.model import ARTICLES_AT_ONCE, ModelExtractor  # noqa: PLC0415
    from kg.llm.roles import open_model  # noqa: PLC0415

    return ModelExtractor(
        role_endpoint("extract", settings).model,
        lambda: open_model("extract", settings, budget),
        max(ARTICLES_AT_ONCE, _ARTICLES_FOR_EACH_REQUEST * settings.hopgrade_model_concurrency),
        concepts,
    )
