// The entities that a hop path may start from; undirected, when edges may be walked against their direction.
// params: corpus: STRING, mirrored: BOOLEAN, undirected: BOOLEAN, literals: BOOLEAN
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WHERE EXISTS { (e)-[r:RELATES|MIRRORED WHERE r.in_paths AND ($mirrored OR r.mirror_of IS NULL)]->() }
   OR $undirected AND EXISTS { (e)<-[r:RELATES|MIRRORED WHERE r.in_paths AND ($mirrored OR r.mirror_of IS NULL)]-() }
FILTER NOT $undirected OR ($literals OR NOT e.literal) AND NOT coalesce(e.hub, false)
RETURN e.id AS id ORDER BY id
