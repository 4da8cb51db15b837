// Some chunks with the articles that they are of, to show them as the passages of a question.
// params: ids: LIST<STRING>
// returns: id: STRING, start: INTEGER, end: INTEGER, article: STRING, title: STRING, source: STRING, body: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {id: id})
RETURN id, c.start AS start, c.end AS end, a.id AS article, coalesce(a.title, '') AS title, coalesce(a.source, '') AS source, a.body AS body
