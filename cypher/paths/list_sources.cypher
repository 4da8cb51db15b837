// The entities that a hop path may start from.
// params: corpus: STRING, mirrored: BOOLEAN
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WHERE EXISTS { (e)-[r:RELATES|MIRRORED WHERE r.in_paths AND ($mirrored OR r.mirror_of IS NULL)]->() }
RETURN e.id AS id ORDER BY id
