// Note what came of a locked standard, as JSON, and which runs it compares.
// params: id: STRING, results: STRING, runs: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
MATCH (s:Standard {id: $id})
SET s.results = $results
WITH s
OPTIONAL MATCH (s)-[old:COMPARES]->(other:Run) WHERE NOT other.id IN $runs
WITH s, collect(old) AS gone
FOREACH (edge IN gone | DELETE edge)
WITH s
UNWIND $runs AS run
MATCH (r:Run {id: run})
MERGE (s)-[:COMPARES]->(r)
