// The entities that triples relate.
// params: ids: LIST<STRING>
// returns: id: STRING, from: STRING, to: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (s)-[r:RELATES {id: id}]->(o)
RETURN id, s.id AS from, o.id AS to
