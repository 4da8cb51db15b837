// Some chunks with the bodies and titles of their articles, to tell which sentences of these they hold.
// params: ids: LIST<STRING>
// returns: id: STRING, start: INTEGER, end: INTEGER, title: STRING, body: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {id: id})
RETURN id, c.start AS start, c.end AS end, coalesce(a.title, '') AS title, a.body AS body
