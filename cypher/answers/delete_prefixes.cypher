// Delete the answers of a run to prefix questions, with their steps and verdicts, where they came from another source than this one, and note this one.
// params: run: STRING, source: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (r:Run {id: $run}) WHERE coalesce(r.prefix_source, '') <> $source
SET r.prefix_source = $source
WITH r
MATCH (r)-[:GAVE_PREFIX]->(a:Answer)
OPTIONAL MATCH (a)-[:TOOK|HAS_VERDICT]->(n)
WITH a, collect(n) AS parts
FOREACH (n IN parts | DETACH DELETE n)
DETACH DELETE a
