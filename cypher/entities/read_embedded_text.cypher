// What is embedded of some Entity nodes.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN id, n.name AS text
