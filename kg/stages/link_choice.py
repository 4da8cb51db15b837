"""From the option to what finds equivalent entities within a cluster: rules, or a model."""

from typing import Literal, get_args

from kg.errors import SettingsError
from kg.llm.budget import Budget
from kg.llm.roles import role_endpoint
from kg.settings import Settings
from kg.stages.resolution_links import LinkFinder, RuleLinks

LinksOption = Literal["rules", "model"]
"""`rules`: offline, without a key; `model`: the language model of the role "extract"."""

LINKS: tuple[LinksOption, ...] = get_args(LinksOption)


def parse_links(text: str) -> LinksOption:
    """The option that `text` names.

    Raises:
        SettingsError: there is no such way to find links.
    """
    for option in LINKS:
        if text.strip() == option:
            return option
    raise SettingsError(f"{text!r} is no way to find links.", f"Use one of: {', '.join(LINKS)}.")


def link_finder(option: LinksOption, settings: Settings, budget: Budget | None = None) -> LinkFinder:
    """The finder; that of a model opens its endpoint when it is asked, not before.

    Raises:
        SettingsError: the option is "model", and no model is set.
    """
    if option == "rules":
        return RuleLinks()
    # Without a model nobody should pay for loading what talks to one.
    from kg.llm.open import open_model  # noqa: PLC0415
    from kg.resolve.model_links import ModelLinkFinder  # noqa: PLC0415

    return ModelLinkFinder(
        role_endpoint("extract", settings).model, lambda: open_model("extract", settings, budget)
    )
