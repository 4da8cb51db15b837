// One path of four hops across articles, as a picture: the entities that it visits and the facts between them.
// params: none
// returns: facts: LIST<PATH>
// mode: read
CYPHER 25
MATCH (p:Path {hops: 4}) WHERE p.crosses_articles AND p.uses_exact
WITH p ORDER BY p.id LIMIT 1
MATCH (p)-[:VISITS]->(e:Entity)
WITH collect(e) AS visited
UNWIND visited AS a
MATCH f = (a)-[r:RELATES|MIRRORED]->(b) WHERE b IN visited AND r.in_paths
RETURN collect(f) AS facts
