// Merged names as a picture: the entities with the most names, each with its other names and some facts.
// params: none
// returns: links: LIST<PATH>, facts: LIST<PATH>
// mode: read
CYPHER 25
MATCH (:Alias)-[:EXACT_EQUIVALENT]->(e:Entity)
WITH e, count(*) AS names ORDER BY names DESC, e.degree DESC, e.id LIMIT 5
RETURN COLLECT { MATCH link = (:Alias)-[:EXACT_EQUIVALENT]->(e) RETURN link LIMIT 8 } AS links,
       COLLECT { MATCH fact = (e)-[r:RELATES]-(:Entity) WHERE r.in_paths RETURN fact LIMIT 3 } AS facts
