// Every pair of entities of a corpus that are linked by context, in how many clusters, and why.
// params: corpus: STRING
// returns: a: STRING, b: STRING, a_name: STRING, b_name: STRING, clusters: INTEGER, evidence: STRING
// mode: read
CYPHER 25
MATCH (a:Entity {corpus: $corpus})-[m:CONTEXT_EQUIVALENT]->(b:Entity)
RETURN a.id AS a, b.id AS b, a.name AS a_name, b.name AS b_name, count(m) AS clusters, min(m.evidence) AS evidence
ORDER BY a, b
