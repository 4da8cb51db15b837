// The entities of a corpus that facts join, two by two, with how many facts do.
// params: corpus: STRING
// returns: one: STRING, other: STRING, facts: INTEGER
// mode: read
CYPHER 25
MATCH (a:Entity {corpus: $corpus})-[r:RELATES]->(b:Entity) WHERE a <> b
RETURN a.id AS one, b.id AS other, count(r) AS facts ORDER BY one, other
