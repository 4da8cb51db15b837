// What a reader of chunks sees: their text, and where and when it is from.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING, title: STRING, source: STRING, published: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {id: id})
RETURN id, c.text AS text, a.title AS title, a.source AS source,
       coalesce(toString(date(a.published_at)), '') AS published
