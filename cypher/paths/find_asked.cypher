// Which of some paths a corpus has, in the order asked for, and whether a question follows them already.
// params: corpus: STRING, ids: LIST<STRING>
// returns: id: STRING, asked: BOOLEAN
// mode: read
CYPHER 25
UNWIND range(0, size($ids) - 1) AS place
MATCH (p:Path {id: $ids[place], corpus: $corpus})
RETURN p.id AS id, EXISTS { (:Question)-[:FOLLOWS]->(p) } AS asked ORDER BY place
