// The edges between some entities, as Neo4j Browser draws them: what the page's graph shows, to go on from there.
// params: ids: LIST<STRING>
// returns: fact: PATH
// mode: read
CYPHER 25
MATCH fact = (a:Entity)-[:RELATES|MIRRORED|CONTEXT_EQUIVALENT]->(b:Entity)
WHERE a.id IN $ids AND b.id IN $ids
RETURN fact
