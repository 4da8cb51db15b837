// Delete the answers of a run that failed, to prefix questions too, with their steps and verdicts.
// params: run: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE|GAVE_PREFIX]->(a:Answer) WHERE a.error <> ''
OPTIONAL MATCH (a)-[:TOOK|HAS_VERDICT]->(n)
WITH a, collect(n) AS parts
FOREACH (n IN parts | DETACH DELETE n)
DETACH DELETE a
