// How many edges a path may take.
// params: corpus: STRING
// returns: edges: INTEGER
// mode: read
CYPHER 25
MATCH (:Entity {corpus: $corpus})-[r:RELATES|MIRRORED WHERE r.in_paths]->()
RETURN count(r) AS edges
