"""What a corpus states once of many subjects is kept at a bounded size, in time linear in the subjects."""

from cProfile import Profile
from pstats import Stats

from kg.store.graph import Graph
from services.questions.kinds.known_facts import SUBJECTS_A_KEY, Relation, read_relations
from services.questions.kinds.spread import chance
from tests.graph_reading import change

SUBJECTS, SEED = 3 * SUBJECTS_A_KEY, 5


def write_subjects(graph: Graph, corpus: str) -> None:
    """So many firms, each based in a place of its own."""
    change(
        graph,
        "UNWIND range(1, $count) AS at "
        "CREATE (s:Entity {id: $corpus + ' firm ' + at, corpus: $corpus, "
        "                  name: 'Firm ' + at, type: 'ORG', named: true}) "
        "CREATE (o:Entity {id: $corpus + ' town ' + at, corpus: $corpus, "
        "                  name: 'Town ' + at, type: 'GPE', named: true}) "
        "CREATE (s)-[:RELATES {id: $corpus + ' fact ' + at, corpus: $corpus, predicate: 'is based in', "
        "                      negated: false, stated: true, article: 'a'}]->(o)",
        corpus=corpus,
        count=SUBJECTS,
    )


def measured(graph: Graph, corpus: str) -> tuple[Relation, int]:
    """The only relation, and how many hashes were made for it."""
    profile = Profile()
    profile.enable()
    (relation,) = read_relations(graph, corpus, ["is based in"], SEED)
    profile.disable()
    calls = Stats(profile).stats  # type: ignore[attr-defined]
    return relation, sum(told[1] for (_, _, name), told in calls.items() if name == "content_hash")


def test_subjects_that_come_first_by_chance_are_kept_and_the_others_counted(
    graph: Graph, corpus: str
) -> None:
    write_subjects(graph, corpus)
    relation, hashes = measured(graph, corpus)
    subjects = [f"{corpus} firm {at}" for at in range(1, SUBJECTS + 1)]
    by_chance = sorted(subjects, key=lambda subject: chance(SEED, relation.key, subject))
    assert set(relation.singles) == set(by_chance[:SUBJECTS_A_KEY])
    assert relation.single == SUBJECTS
    assert hashes < 5 * SUBJECTS
