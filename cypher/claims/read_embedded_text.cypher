// What is embedded of some Claim nodes.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (n:Claim {id: id})
RETURN id, n.text AS text
