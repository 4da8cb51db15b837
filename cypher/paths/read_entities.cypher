// The ids of all entities of a corpus.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) RETURN e.id AS id ORDER BY id
