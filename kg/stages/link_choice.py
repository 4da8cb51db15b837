"""From the option to what finds equivalent entities within a cluster: rules, or a model."""

from typing import Literal, get_args

from kg.corpus import corpus_id
from kg.errors import SettingsError
from kg.llm.budget import Budget
from kg.llm.roles import role_endpoint
from kg.queries import query
from kg.settings import Settings
from kg.stages.resolution_links import LinkFinder, RuleLinks
from kg.store.graph import Graph

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


def read_links_option(graph: Graph, corpus: str) -> LinksOption:
    """Who looked for links in a corpus last; the rules where nobody did."""
    found = graph.rows(query("corpus/read_corpus"), id=corpus_id(corpus))
    return parse_links(found[0]["settings"].get("links", "rules")) if found else "rules"


def write_links_option(graph: Graph, corpus: str, option: LinksOption) -> None:
    """Remember who looks for links in a corpus."""
    graph.rows(query("corpus/write_links"), id=corpus_id(corpus), links=option)


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
