// At how many edges that a path may take each entity of a corpus stands, at either end.
// params: corpus: STRING
// returns: id: STRING, edges: INTEGER
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
RETURN e.id AS id, COUNT { (e)-[r:RELATES|MIRRORED WHERE r.in_paths AND startNode(r) <> endNode(r)]-() } AS edges
