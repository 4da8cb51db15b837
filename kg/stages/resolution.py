"""Fifth stage: names that mean one thing are merged, and claims are clustered to find links by context.

The order is: corrections by hand, aliases that sentences state, and rules merge names; claims are clustered;
a finder looks for equivalents in each cluster; what it holds to be always one thing is merged in a second
round, under the same guard against unlike things; what is one thing in context gets mirrored edges; edges are
marked for paths.

Types of entities as labels: Neo4j Browser can colour nodes by label only.

Which edges a hop path may take, and why others are kept out; hubs among the reasons.

From the option to what finds equivalent entities within a cluster: rules, or a model.

What a corpus remembers of how its entities are resolved.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from kg.corpus import recall, remember
from kg.embed.choose import Embedder
from kg.errors import SettingsError
from kg.ledger import Counts
from kg.llm.budget import Budget
from kg.llm.roles import role_endpoint
from kg.model import UNNAMED_SOURCE
from kg.progress import Progress
from kg.queries import query
from kg.resolve.bonds import Corrections
from kg.resolve.hubs import EntityUse, HubPolicy, find_hubs
from kg.settings import Settings
from kg.stages.resolution_corrections import read_corrections, write_effects
from kg.stages.resolution_links import (
    LinkFinder,
    RuleLinks,
    always_bonds,
    cluster_corpus,
    facts_of,
    find_links,
    links_between,
    write_links,
)
from kg.stages.resolution_names import (
    merge_names,
    read_names,
    read_stated_aliases,
    read_triples,
    vote_name_types,
    write_merges,
)
from kg.stages.vectors import embed_missing
from kg.store.graph import Graph, Row
from kg.text.opinion import FACTUAL_FROM

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
    from kg.llm.roles import open_model  # noqa: PLC0415
    from kg.resolve.model_links import ModelLinkFinder  # noqa: PLC0415

    return ModelLinkFinder(
        role_endpoint("extract", settings).model, lambda: open_model("extract", settings, budget)
    )


HUBS = HubPolicy()


@dataclass(frozen=True, slots=True)
class EdgePolicy:
    """Which facts hop paths may take, beside those stated outright from a name to a name or a date.

    `hubs` None lets paths go through hubs. `concepts` lets any noun phrase be an end of a hop ("ketamine",
    "respiratory depression"), as GRADE's prompt for triples has it (appendix A.9.3); `attributed` takes what
    somebody is reported to have said.
    """

    hubs: HubPolicy | None = HUBS
    concepts: bool = False
    attributed: bool = False

    def key_parts(self) -> tuple[str, ...]:
        """What the stage's key has beside the hubs: by default nothing, so that old keys hold."""
        options = {"concepts-3": self.concepts, "attributed": self.attributed}
        return tuple(name for name, chosen in options.items() if chosen)


DEFAULT_EDGES = EdgePolicy()


@dataclass(frozen=True, slots=True)
class ResolutionChoice:
    """Who looks for links in context, which facts paths may take besides, and the seed of the clusters.

    The paths of a corpus keep a seed of their own, so that another draw leaves its links as they are.
    """

    links: LinksOption = "rules"
    through_hubs: bool = False
    seed: int = 0
    concepts: bool = False
    attributed: bool = False

    @property
    def edges(self) -> EdgePolicy:
        """Which facts hop paths may take."""
        return EdgePolicy(None if self.through_hubs else HUBS, self.concepts, self.attributed)


def read_resolution_choice(graph: Graph, corpus: str) -> ResolutionChoice:
    """What was chosen for a corpus last; the defaults where nothing was."""
    kept = recall(graph, corpus)
    return ResolutionChoice(
        parse_links(kept.get("links") or "rules"),
        through_hubs=bool(kept.get("through_hubs")),
        seed=int(kept.get("resolution_seed") or 0),
        concepts=bool(kept.get("concepts")),
        attributed=bool(kept.get("attributed")),
    )


def write_resolution_choice(graph: Graph, corpus: str, choice: ResolutionChoice) -> None:
    """Remember the choice for later builds; what is chosen already is not written again."""
    if choice != read_resolution_choice(graph, corpus):
        kept = {
            "links": choice.links,
            "through_hubs": choice.through_hubs,
            "resolution_seed": choice.seed,
            "concepts": choice.concepts,
            "attributed": choice.attributed,
        }
        remember(graph, corpus, kept)


CONFIDENT_FROM = 0.6
"""The confidence from which on a triple is taken as stated."""


def mark_path_edges(graph: Graph, corpus: str, policy: EdgePolicy) -> None:
    """Mark every edge with `in_paths` and, where it is false, the reason."""
    graph.rows(query("entities/write_degrees"), corpus=corpus)
    graph.rows(query("facts/mark_path_edges"), corpus=corpus, **_gates(policy))
    graph.rows(query("links/mark_mirrors"), corpus=corpus, concepts=policy.concepts)
    if policy.hubs is None:
        return
    uses = [EntityUse(**row) for row in graph.rows(query("entities/read_uses"), corpus=corpus)]
    found = find_hubs(uses, policy.hubs, concepts=policy.concepts)
    hubs = ({"id": hub, "properties": {"hub": True, "hub_reason": reason}} for hub, reason in found.items())
    graph.write_rows(query("corpus/write_properties"), hubs)
    graph.rows(query("facts/mark_hub_edges"), corpus=corpus)


def count_gates(graph: Graph, corpus: str, policy: EdgePolicy) -> list[Row]:
    """The census of gates: `facts` that each keeps out of paths in all, and those that it `alone` keeps out.

    A fact that several gates keep out counts for each, and alone for none, so that `alone` is how many facts
    more paths could take if that gate were open: those of 'unnamed' by --concepts, of 'attributed' by
    --attributed (as far as the source is named). GRADE (section 3.1, A.9.3) has no such gates: it takes any
    noun phrase for an end, and what is reported like what is stated.
    """
    return graph.rows(query("facts/count_gates"), corpus=corpus, **_gates(policy))


def _gates(policy: EdgePolicy) -> dict[str, object]:
    return {
        "factual_from": FACTUAL_FROM,
        "confident_from": CONFIDENT_FROM,
        "concepts": policy.concepts,
        "attributed": policy.attributed,
        "unnamed": UNNAMED_SOURCE,
    }


TYPE_LABELS = ("Person", "Organisation", "Place", "People", "Event", "Thing", "Concept", "Literal")
"""The second label of an entity; literals are dates and numbers."""


def label_types(graph: Graph, corpus: str) -> None:
    """Give every entity of a corpus the label of its type, and take away that of a former type."""
    graph.rows(query("entities/write_type_labels"), corpus=corpus)


RULES = RuleLinks()


def resolve_entities(
    graph: Graph,
    corpus: str,
    embedder: Embedder,
    seed: int,
    progress: Progress,
    finder: LinkFinder = RULES,
    edges: EdgePolicy = DEFAULT_EDGES,
) -> Counts:
    """Merge names, cluster claims, link by context, mirror edges and mark hubs."""
    progress.step("merging names")
    triples = read_triples(graph, corpus)
    names = read_names(graph, corpus, triples)
    corrections = Corrections(read_corrections(graph, corpus), names.types)
    declared = [*corrections.bonds, *read_stated_aliases(graph, corpus, names)]
    vote_name_types(names, triples, declared)
    first = merged = merge_names(corpus, names, declared, corrections.apart)
    embed_missing(graph, corpus, "claims", embedder, progress)
    progress.step("clusters and links")
    clustered = cluster_corpus(graph, corpus, seed)
    found = find_links(finder, first, facts_of(first, triples), clustered, progress, concepts=edges.concepts)
    if found.always:
        declared += always_bonds(found, first)
        merged = merge_names(corpus, names, declared, corrections.apart)
    links = links_between(found.context, first, merged, corrections.apart)
    write_merges(graph, merged, triples)
    write_links(graph, corpus, clustered, facts_of(merged, triples), links, found)
    write_effects(graph, corrections.effects(merged.entity_of))
    graph.rows(query("entities/delete_orphans"), corpus=corpus)
    label_types(graph, corpus)
    mark_path_edges(graph, corpus, edges)
    counts: Counts = dict(graph.rows(query("entities/count_resolved"), corpus=corpus)[0])
    counts["kept_apart"] = len(merged.split)
    not_all = {"failed_links": len(found.failures), "dropped_links": len(found.dropped)}
    return counts | {what: number for what, number in not_all.items() if number}


def clear_resolution(graph: Graph, corpus: str) -> None:
    """Delete aliases, split groups, clusters, contextual links and mirrors; merges are worked out anew."""
    graph.rows(query("links/delete_edges"), corpus=corpus)
    graph.rows(query("links/delete_nodes"), corpus=corpus)
