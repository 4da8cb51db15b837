"""What resolution writes: split groups, a finder's verdicts, mirrored edges, and what paths may take.

Types as labels: one a type, taken away when the type changes, in one corpus only.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from neo4j import Driver, GraphDatabase

from kg.corpus import drop_corpus, fingerprint
from kg.extract.choose import extractor_name
from kg.model import UNNAMED_SOURCE, Reject
from kg.progress import Progress, Silent
from kg.queries import query
from kg.resolve.cluster_context import ContextLink, EntityCard, ExactPair, Fact, FoundLinks
from kg.resolve.hubs import HubPolicy
from kg.stages.build import build_graph
from kg.stages.resolution import (
    TYPE_LABELS,
    EdgePolicy,
    clear_resolution,
    count_gates,
    label_types,
    mark_path_edges,
    resolve_entities,
)
from kg.stages.resolution_corrections import find_entity
from kg.stages.resolution_links import join_blocks
from kg.stages.resolution_names import read_triples
from kg.store.graph import Graph
from tests.conftest import ServerAddress
from tests.examples import read_examples
from tests.graph_reading import change, read, value
from tests.names import unique_name
from tests.small_world import ARTICLES, OPTIONS, ingest, tools

MIRRORED = """
MATCH (s:Entity {corpus: $corpus})-[m:MIRRORED]->(o)
RETURN s.name AS start, m.predicate AS predicate, o.name AS end, m.in_paths AS in_paths ORDER BY start, end
"""
HELD_BY = """
MATCH (e:Entity {corpus: $corpus}) WHERE e.name = $name OR $name IN e.aliases RETURN e.name
"""
JOINED = """
MATCH p = (a:Entity {corpus: $corpus})-[:RELATES*2..5]->(b)
WHERE all(r IN relationships(p) WHERE r.in_paths)
RETURN DISTINCT a.name AS start, b.name AS end
"""


def _in_order(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


@dataclass(frozen=True, slots=True)
class Reader:
    """A finder that knows pairs of names, as a model may."""

    always: tuple[tuple[str, str], ...] = ()
    context: tuple[tuple[str, str], ...] = ()
    failures: tuple[Reject, ...] = ()
    dropped: tuple[Reject, ...] = ()
    name: str = "reader"

    def find(
        self,
        clusters: Mapping[str, Sequence[Fact]],
        cards: Mapping[str, EntityCard],
        claim_texts: Mapping[str, str],
        progress: Progress,
    ) -> FoundLinks:
        id_of = {card.name: card.id for card in cards.values()}
        first = min(clusters)
        assert all(fact.claim in claim_texts for facts in clusters.values() for fact in facts)
        return FoundLinks(
            tuple(ExactPair(id_of[a], id_of[b], "the claims say so") for a, b in self.always),
            tuple(
                ContextLink(*_in_order(id_of[a], id_of[b]), first, 0.7, "here only") for a, b in self.context
            ),
            self.failures,
            self.dropped,
        )


def resolve(graph: Graph, corpus: str, reader: Reader | None = None) -> dict[str, int | float | str]:
    """Resolve a corpus again, from scratch as the ledger does it."""
    clear_resolution(graph, corpus)
    given = (graph, corpus, tools().embedder, OPTIONS.build.seed, Silent())
    return resolve_entities(*given) if reader is None else resolve_entities(*given, finder=reader)


@pytest.fixture
def own(graph: Graph, corpus: str) -> str:
    """A built corpus that a test may change."""
    ingest(graph, corpus)
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent())
    return corpus


def test_what_triples_have_in_common_is_in_memory_once(graph: Graph, own: str) -> None:
    """Of a large corpus they are hundreds of thousands, with a few articles, names and predicates each."""
    triples = read_triples(graph, own)
    stored = read(graph, "MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() RETURN r.id", corpus=own)
    assert len(triples) == len(stored) > 0
    for shared in ("claim", "article", "start", "end", "subject", "predicate", "object", "extractor"):
        texts = [getattr(triple, shared) for triple in triples]
        assert len({id(text) for text in texts}) == len(set(texts)), shared


def test_the_vectors_of_all_claims_are_joined_as_their_blocks_are_given_up() -> None:
    blocks = deque(np.full((rows, 3), rows, np.float32) for rows in (2, 1, 4))
    joined = join_blocks(blocks)
    assert joined[:, 0].tolist() == [2, 2, 1, 4, 4, 4, 4]
    assert joined.shape == (7, 3)
    assert not blocks


def test_an_always_verdict_makes_one_entity_with_its_evidence(graph: Graph, own: str) -> None:
    reader = Reader(always=(("Otto Pelham", "Verrin University"), ("Venning", "Orla Venning")))
    counts = resolve(graph, own, reader)
    assert value(graph, HELD_BY, corpus=own, name="Venning") == "Orla Venning"
    alias = read(
        graph,
        "MATCH (a:Alias {corpus: $corpus, name: 'Venning'})-[m]->() RETURN m.score AS score, m.evidence AS e",
        corpus=own,
    )
    assert alias == [{"score": 0.9, "e": "the claims say so"}]
    assert value(graph, HELD_BY, corpus=own, name="Otto Pelham") == "Otto Pelham", "a person is no university"
    group = read(
        graph,
        """
        MATCH (g:SplitGroup {corpus: $corpus})-[k:KEPT_APART]->(e) WHERE 'Otto Pelham' IN g.names
        RETURN g.reason AS reason, k.name AS name, e.name AS entity ORDER BY name
        """,
        corpus=own,
    )
    assert [(row["name"], row["entity"]) for row in group] == [
        ("Otto Pelham", "Otto Pelham"),
        ("Verrin University", "Verrin University"),
    ]
    assert group[0]["reason"]
    assert counts["kept_apart"] == value(
        graph, "MATCH (g:SplitGroup {corpus: $corpus}) RETURN count(g)", corpus=own
    )


def test_what_an_article_states_to_be_one_is_merged_with_its_words_as_evidence(
    graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = "Halden Shipping, formerly known as Kaldmere Lines, was founded by Greta Lindqvist."
    monkeypatch.setitem(ARTICLES, "renamed", stated)
    monkeypatch.setitem(
        ARTICLES, "old", "Kaldmere Lines was founded by Otto Pelham. The Cup was won by Otto Pelham."
    )
    ingest(graph, corpus, ["owner", "renamed", "old"])
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent())
    assert value(graph, HELD_BY, corpus=corpus, name="Kaldmere Lines") == "Halden Shipping"
    (alias,) = read(
        graph,
        "MATCH (a:Alias {corpus: $corpus})-[m]->() RETURN a.name AS name, m.evidence AS evidence",
        corpus=corpus,
    )
    said = 'article says "Halden Shipping, formerly known as Kaldmere Lines" (Renamed)'
    assert (alias["name"], alias["evidence"]) == ("Kaldmere Lines", said)


def test_a_date_is_one_entity_however_it_is_written(
    graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"first": "5 September 2031", "second": "September 5, 2031", "third": "5 September 2031"}
    for who, (name, day) in zip(
        ("Halden Shipping", "Tarn Museum", "Brask Foundry"), said.items(), strict=True
    ):
        monkeypatch.setitem(ARTICLES, name, f"{who} opened on {day}.")
    ingest(graph, corpus, said)
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent())
    (date,) = read(
        graph,
        "MATCH (e:Entity {corpus: $corpus, type: 'DATE'})<-[r:RELATES]-(s) "
        "RETURN e.id AS id, e.name AS name, collect(r.object) AS said, count(DISTINCT s) AS subjects",
        corpus=corpus,
    )
    assert (date["name"], date["subjects"], sorted(date["said"])) == (
        "5 September 2031", 3, ["5 September 2031", "5 September 2031", "September 5, 2031"]
    )  # fmt: skip
    for written in (*said.values(), "2031-09-05", "5th of September 2031"):
        assert find_entity(graph, corpus, written)["id"] == date["id"]


def test_a_name_that_a_model_reads_as_somebody_and_as_something_is_two_entities(
    graph: Graph, own: str
) -> None:
    """One article calls Verrin University a person; where types are a parser's guess, nothing is parted."""
    name, before = "Verrin University", fingerprint(graph, own)
    graph_of = "MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(c:Chunk)"
    (odd, *_) = articles = read(
        graph,
        graph_of + "-[n:NAMES {name: $name}]->() RETURN a.id AS id, sum(n.count) AS n ORDER BY n, id",
        corpus=own,
        name=name,
    )
    assert len(articles) > 1

    def retype(kind: str, where: str = "= $odd") -> None:
        given = {"corpus": own, "name": name, "odd": odd["id"], "kind": kind}
        named = graph_of + f"-[n:NAMES {{name: $name}}]->() WHERE a.id {where} SET n.type = $kind"
        change(graph, named, **given)
        for end in ("subject", "object"):
            facts = f"MATCH (:Entity {{corpus: $corpus}})-[r:RELATES {{{end}: $name}}]->()"
            change(graph, f"{facts} WHERE r.article {where} SET r.{end}_type = $kind", **given)

    def senses() -> list[tuple[str, list[str]]]:
        where = "MATCH (e:Entity {corpus: $corpus, name: $name}) MATCH (e)-[r:RELATES]-() "
        told = "RETURN e.type AS type, collect(DISTINCT r.article) AS articles ORDER BY type"
        return [(row["type"], row["articles"]) for row in read(graph, where + told, corpus=own, name=name)]

    retype("PERSON")
    resolve(graph, own)
    assert [kind for kind, _ in senses()] == ["ORG"]
    change(graph, "MATCH (c:Corpus {name: $corpus}) SET c.extractor = 'model-4/any'", corpus=own)
    resolve(graph, own)
    (kind, facts), (other, somebody) = senses()
    assert (kind, other, somebody) == ("ORG", "PERSON", [odd["id"]])
    assert odd["id"] not in facts
    hanging = graph_of + "-[n:NAMES|HAS_CLAIM]->(x) OPTIONAL MATCH (x)-[m:MENTIONS {name: $name}]->(e) "
    told = "WITH a, coalesce(e, x) AS e WHERE e:Entity AND e.name = $name RETURN a.id AS id, e.type AS type"
    for row in read(graph, hanging + told, corpus=own, name=name):
        assert row["type"] == ("PERSON" if row["id"] == odd["id"] else "ORG")
    retype("WORK")
    resolve(graph, own)
    assert len(senses()) == 1, "a book and an organisation may be two types of one thing"
    retype("GPE", "<> $odd")
    resolve(graph, own)
    assert [kind for kind, _ in senses()] == ["GPE", "WORK"], "a book is no place"
    retype("ORG")
    retype("ORG", "<> $odd")
    change(
        graph, "MATCH (c:Corpus {name: $corpus}) SET c.extractor = $given", corpus=own, given=extractor_name()
    )
    resolve(graph, own)
    assert fingerprint(graph, own) == before


def test_links_in_context_follow_entities_that_were_merged_in_the_same_breath(graph: Graph, own: str) -> None:
    reader = Reader(
        always=(("Venning", "Orla Venning"),),
        context=(("Venning", "Otto Pelham"), ("Orla Venning", "Otto Pelham"), ("Venning", "Orla Venning")),
    )
    resolve(graph, own, reader)
    links = read(
        graph,
        """
        MATCH (a:Entity {corpus: $corpus})-[l:CONTEXT_EQUIVALENT]->(b)
        RETURN a.name AS a, b.name AS b, l.evidence AS evidence
        """,
        corpus=own,
    )
    assert [({row["a"], row["b"]}, row["evidence"]) for row in links] == [
        ({"Orla Venning", "Otto Pelham"}, "here only")
    ]


def test_what_a_reader_could_not_read_is_kept_with_the_reason_until_the_next_time(
    graph: Graph, own: str
) -> None:
    failure, group = Reject("cluster 3", "the answer was cut off"), Reject("cluster 4", "two full names")
    counts = resolve(graph, own, Reader(failures=(failure,), dropped=(group,)))
    kept = """
    MATCH (r:Reject {corpus: $corpus}) WHERE r.kind ENDS WITH 'link'
    RETURN r.kind AS kind, r.place AS place, r.reason AS reason ORDER BY place
    """
    assert [tuple(row.values()) for row in read(graph, kept, corpus=own)] == [
        ("failed link", "cluster 3", "the answer was cut off"),
        ("dropped link", "cluster 4", "two full names"),
    ]
    assert (counts["failed_links"], counts["dropped_links"]) == (1, 1)
    assert not {"failed_links", "dropped_links"} & resolve(graph, own).keys()
    assert read(graph, kept, corpus=own) == []


@pytest.mark.campaign
def test_mirrored_edges_go_by_one_statement_and_come_back_the_same(graph: Graph, own: str) -> None:
    before, edges = fingerprint(graph, own), read(graph, MIRRORED, corpus=own)
    assert len(edges) == 2
    facts = "MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() RETURN count(r)"
    number = value(graph, facts, corpus=own)
    change(graph, "MATCH ()-[m:MIRRORED {corpus: $corpus}]->() DELETE m", corpus=own)
    assert read(graph, MIRRORED, corpus=own) == []
    assert value(graph, facts, corpus=own) == number
    for _ in range(2):  # the second time there are mirrors, of which none may be made
        resolve_entities(graph, own, tools().embedder, OPTIONS.build.seed, Silent())
        assert fingerprint(graph, own) == before


@pytest.mark.campaign
def test_both_entities_of_a_link_get_the_edges_of_the_other_in_both_directions(
    graph: Graph, own: str
) -> None:
    resolve(graph, own, Reader(context=(("Greta Lindqvist", "Anton Brask"),)))
    # Lindqvist: Halden Shipping -> (in two claims), -> Verrin University. Brask: Verrin University ->, and a
    # denial, which is mirrored but stays out of paths.
    facts = {(row["start"], row["end"]): row["in_paths"] for row in read(graph, MIRRORED, corpus=own)}
    in_cluster = value(
        graph,
        """
        MATCH (a:Entity {corpus: $corpus, name: 'Greta Lindqvist'})-[l:CONTEXT_EQUIVALENT]-()
        MATCH (c:Claim)-[:IN_CLUSTER]->(:Cluster {id: l.cluster})
        MATCH (s)-[r:RELATES {claim: c.id}]->(o)
        WHERE 'Greta Lindqvist' IN [s.name, o.name] OR 'Anton Brask' IN [s.name, o.name]
        RETURN collect([s.name, o.name])
        """,
        corpus=own,
    )
    swapped = {"Greta Lindqvist": "Anton Brask", "Anton Brask": "Greta Lindqvist"}
    expected = {(swapped.get(start, start), swapped.get(end, end)) for start, end in in_cluster}
    assert facts.keys() == expected
    assert {("Halden Shipping", "Anton Brask"), ("Anton Brask", "Verrin University")} & facts.keys()
    assert not facts.get(("Greta Lindqvist", "Halden Shipping"), False)


ENDS = {
    "Ana": ("PERSON", "named"),
    "Brel": ("ORG", "named"),
    "a tall man": ("CONCEPT", ""),
    "1412": ("DATE", "literal"),
    "twelve": ("NUMBER", "literal"),
}
KEPT_OUT: list[tuple[dict[str, object], str, str | None]] = list(
    read_examples("kg/stages/resolution")["kept_out"]
)


def write_facts(graph: Graph, corpus: str, facts: Sequence[tuple[Mapping[str, object], str]]) -> None:
    """Facts of Ana's, each in a claim and an article of its own."""
    names = {*ENDS, *(str(about.get("subject", "Ana")) for about, _ in facts), *(end for _, end in facts)}
    entities = []
    for name in sorted(names):
        kind, shape = ENDS.get(name, ("PERSON", "named"))
        shapes = {"named": shape == "named", "literal": shape == "literal"}
        entities.append({"id": f"{corpus}-{name}", "key": name, "name": name, "type": kind, **shapes})
    graph.write_rows(query("entities/write_entities"), entities, corpus=corpus)
    claims, triples = [], []
    for number, (about, end) in enumerate(facts):
        claim = {
            "id": f"{corpus}-claim-{number}",
            "article": f"article-{number}",
            "factual": about.get("factual", 0.9),
            "verified": about.get("verified", True),
        }
        triple = {
            "id": f"{corpus}-triple-{number:03}",
            "claim": claim["id"],
            "article": claim["article"],
            "negated": about.get("negated", False),
            "attributed_to": about.get("attributed_to", ""),
            "confidence": about.get("confidence", 0.9),
            "aside": about.get("aside", False),
            "predicate": "knows",
            "subject": about.get("subject", "Ana"),
            "object": end,
        }
        claims.append({"claim": claim, "chunks": []})
        start = f"{corpus}-{triple['subject']}"
        triples.append({"from": start, "to": f"{corpus}-{end}", "triple": triple})
    graph.write_rows(query("claims/write_claims"), claims, corpus=corpus)
    graph.write_rows(query("facts/write_triples"), triples, corpus=corpus)


def test_every_edge_says_why_paths_may_not_take_it(graph: Graph, corpus: str) -> None:
    write_facts(graph, corpus, [(about, end) for about, end, _ in KEPT_OUT])
    mark_path_edges(graph, corpus, EdgePolicy())
    rows = read(
        graph,
        """
        MATCH (:Entity {corpus: $corpus})-[r:RELATES]->()
        RETURN r.kept_out AS reason, r.in_paths AS in_paths, r.stated AS stated ORDER BY r.id
        """,
        corpus=corpus,
    )
    assert [row["reason"] for row in rows] == [reason for _, _, reason in KEPT_OUT]
    doubts = {"negated", "attributed", "opinion", "unverified", "low confidence"}
    assert [row["stated"] for row in rows] == [reason not in doubts for _, _, reason in KEPT_OUT]
    assert [row["in_paths"] for row in rows] == [reason is None for _, _, reason in KEPT_OUT]
    # By hand from the thirteen facts: five have two doubts, or a doubt and a misfit; five have one misfit.
    census = {row["gate"]: (row["facts"], row["alone"]) for row in count_gates(graph, corpus, EdgePolicy())}
    assert census == {
        "negated": (1, 0),
        "attributed": (2, 0),
        "opinion": (2, 0),
        "unverified": (2, 0),
        "low confidence": (2, 0),
        "self": (2, 1),
        "unnamed": (2, 2),
        "literal": (2, 2),
    }


def test_concepts_and_what_is_reported_are_let_in_when_asked_for(graph: Graph, corpus: str) -> None:
    """GRADE's own cases (table 4): noun phrases as ends; what nobody named says stays out all the same."""
    facts: list[tuple[Mapping[str, object], str]] = [
        ({"subject": "elevated ketamine levels"}, "respiratory depression"),
        ({"attributed_to": "the coroner"}, "Brel"),
        ({"attributed_to": UNNAMED_SOURCE}, "Cleo"),
        ({"attributed_to": "the coroner", "negated": True}, "Dora"),
    ]
    write_facts(graph, corpus, facts)
    change(
        graph,
        "MATCH (e:Entity {corpus: $corpus}) WHERE e.name ENDS WITH 'levels' OR e.name ENDS WITH 'depression'"
        " SET e.type = 'CONCEPT', e.named = false",
        corpus=corpus,
    )
    found, alone = {}, {}
    for concepts, attributed in ((False, False), (True, False), (False, True)):
        mark_path_edges(graph, corpus, EdgePolicy(concepts=concepts, attributed=attributed))
        rows = read(
            graph,
            "MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() WITH r ORDER BY r.id"
            " RETURN r.kept_out AS why, r.stated AS stated",
            corpus=corpus,
        )
        found[concepts, attributed] = [row["why"] for row in rows]
        census = count_gates(graph, corpus, EdgePolicy(concepts=concepts, attributed=attributed))
        alone[concepts, attributed] = {row["gate"]: row["alone"] for row in census}
        assert [row["stated"] for row in rows] == [True, False, False, False]
    assert found == {
        (False, False): ["unnamed", "attributed", "attributed", "negated"],
        (True, False): [None, "attributed", "attributed", "negated"],
        (False, True): ["unnamed", None, "attributed", "negated"],
    }
    assert alone == {
        (False, False): {"attributed": 2, "unnamed": 1, "negated": 0},
        (True, False): {"attributed": 2, "negated": 0},
        (False, True): {"attributed": 1, "unnamed": 1, "negated": 1},
    }


def test_a_mirror_has_the_doubts_of_its_fact_and_ends_of_its_own(graph: Graph, corpus: str) -> None:
    write_facts(graph, corpus, [({}, "Brel"), ({"negated": True}, "Brel")])
    for fact, start, end in ((0, "Ana", "a tall man"), (0, "Cleo", "Brel"), (1, "Cleo", "Brel")):
        row = {"from": f"{corpus}-{start}", "to": f"{corpus}-{end}"}
        entity = {"id": row["from"], "name": start, "type": "PERSON", "named": True, "literal": False}
        graph.write_rows(query("entities/write_entities"), [entity], corpus=corpus)
        mirror = {"id": f"{corpus}-mirror-{fact}-{end}", "mirror_of": f"{corpus}-triple-{fact:03}"}
        graph.write_rows(query("links/write_mirrors"), [{**row, "mirror": mirror}], corpus=corpus)
    mark_path_edges(graph, corpus, EdgePolicy())
    found = read(
        graph,
        "MATCH ()-[m:MIRRORED {corpus: $corpus}]->() RETURN m.id AS id, m.kept_out AS why, m.in_paths AS ok",
        corpus=corpus,
    )
    assert {row["id"].removeprefix(f"{corpus}-mirror-"): (row["why"], row["ok"]) for row in found} == {
        "0-a tall man": ("unnamed", False),
        "0-Brel": (None, True),
        "1-Brel": ("negated", False),
    }


def test_a_hub_may_end_a_path_but_none_goes_through_it_or_starts_there(graph: Graph, corpus: str) -> None:
    """Ana -> x1..x9 -> Germany -> Cleo -> Dora: without the policy, paths run through Germany."""
    spokes = [f"Spoke {n}" for n in range(9)]
    facts: list[tuple[Mapping[str, object], str]] = [({}, spoke) for spoke in spokes]
    facts += [({"subject": spoke}, "Germany") for spoke in spokes]
    facts += [({"subject": "Germany"}, "Cleo"), ({"subject": "Cleo"}, "Dora")]
    write_facts(graph, corpus, facts)
    change(graph, "MATCH (e:Entity {corpus: $corpus, name: 'Germany'}) SET e.type = 'GPE'", corpus=corpus)
    found = {}
    for policy in (None, HubPolicy(), None):
        mark_path_edges(graph, corpus, EdgePolicy(policy))
        found[policy is None] = {(row["start"], row["end"]) for row in read(graph, JOINED, corpus=corpus)}
        hubs = read(
            graph,
            "MATCH (e:Entity {corpus: $corpus}) WHERE e.hub RETURN e.name AS name, e.hub_reason AS reason",
            corpus=corpus,
        )
        assert hubs == ([] if policy is None else [{"name": "Germany", "reason": "a country or continent"}])
        kept_out = (
            "MATCH (:Entity {corpus: $corpus})-[r:RELATES {kept_out: 'hub'}]->(o) RETURN collect(o.name)"
        )
        assert value(graph, kept_out, corpus=corpus) == ([] if policy is None else ["Cleo"])
    assert ("Ana", "Germany") in found[False]
    through = {(spoke, "Cleo") for spoke in spokes} | {("Ana", "Cleo"), ("Germany", "Dora"), ("Ana", "Dora")}
    assert found[True] >= through
    assert not found[False] & through


EXPECTED = {
    "PERSON": "Person", "ORG": "Organisation", "GPE": "Place", "LOC": "Place", "FAC": "Place",
    "NORP": "People", "EVENT": "Event", "WORK": "Thing", "PRODUCT": "Thing", "LAW": "Thing", "MISC": "Thing",
    "CONCEPT": "Concept", "DATE": "Literal", "NUMBER": "Literal",
}  # fmt: skip


@pytest.fixture
def driver(server_address: ServerAddress, graph: Graph) -> Iterator[Driver]:
    address = server_address
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as opened:
        yield opened


def plant(driver: Driver, corpus: str, types: list[str]) -> None:
    driver.execute_query(
        "UNWIND $types AS type MERGE (e:Entity {id: $corpus + type}) SET e.corpus = $corpus, e.type = type",
        corpus=corpus,
        types=types,
    )


def labels(driver: Driver, corpus: str) -> dict[str, set[str]]:
    rows = driver.execute_query(
        "MATCH (e:Entity {corpus: $corpus}) RETURN e.type AS type, labels(e) AS labels", corpus=corpus
    ).records
    return {row["type"]: set(row["labels"]) for row in rows}


def test_each_type_has_its_label(graph: Graph, driver: Driver, corpus: str) -> None:
    plant(driver, corpus, list(EXPECTED))
    label_types(graph, corpus)
    assert labels(driver, corpus) == {kind: {"Entity", label} for kind, label in EXPECTED.items()}
    assert set(EXPECTED.values()) == set(TYPE_LABELS)


def test_a_changed_type_changes_the_label(graph: Graph, driver: Driver, corpus: str) -> None:
    plant(driver, corpus, ["PERSON"])
    label_types(graph, corpus)
    driver.execute_query("MATCH (e:Entity {corpus: $corpus}) SET e.type = 'GPE'", corpus=corpus)
    label_types(graph, corpus)
    label_types(graph, corpus)
    assert labels(driver, corpus) == {"GPE": {"Entity", "Place"}}


def test_another_corpus_is_left_alone(graph: Graph, driver: Driver, corpus: str) -> None:
    other = unique_name("other")
    plant(driver, corpus, ["PERSON"])
    plant(driver, other, ["PERSON"])
    label_types(graph, corpus)
    assert labels(driver, other) == {"PERSON": {"Entity"}}
    drop_corpus(graph, other)
