// The entities that a hop path may start from.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE EXISTS { (e)-[r:RELATES|MIRRORED WHERE r.in_paths]->() }
RETURN e.id AS id ORDER BY id
