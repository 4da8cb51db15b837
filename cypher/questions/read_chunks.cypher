// The texts of some chunks.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})
RETURN id, c.text AS text
