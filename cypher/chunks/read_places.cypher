// Where some chunks stand in the bodies of their articles.
// params: ids: LIST<STRING>
// returns: id: STRING, article: STRING, start: INTEGER, end: INTEGER
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {id: id})
RETURN id, a.id AS article, c.start AS start, c.end AS end
