// The entities of a corpus with the names that were merged into each.
// params: corpus: STRING
// returns: id: STRING, name: STRING, type: STRING, names: LIST<STRING>, vector: VECTOR
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WITH e ORDER BY e.id
RETURN e.id AS id, e.name AS name, e.type AS type,
       coalesce(e.aliases, []) + COLLECT { MATCH (a:Alias)-[:EXACT_EQUIVALENT]->(e) RETURN a.name } AS names,
       vector(e.embedding, size(e.embedding), FLOAT32) AS vector
