// The pairs of entities that mean the same in some cluster.
// params: corpus: STRING
// returns: a: STRING, b: STRING
// mode: read
CYPHER 25
MATCH (a:Entity {corpus: $corpus})-[:CONTEXT_EQUIVALENT]->(b)
RETURN DISTINCT a.id AS a, b.id AS b ORDER BY a, b
