// The predicates of the edges of a corpus that a path may take.
// params: corpus: STRING
// returns: predicate: STRING
// mode: read
CYPHER 25
MATCH (:Entity {corpus: $corpus})-[r:RELATES|MIRRORED WHERE r.in_paths]->()
RETURN DISTINCT coalesce(r.predicate, '') AS predicate ORDER BY predicate
