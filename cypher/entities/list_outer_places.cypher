// What places are told to lie in, as far as facts say so: one row for each name of a larger one.
// params: corpus: STRING
// returns: id: STRING, outer: STRING
// mode: read
CYPHER 25
MATCH (p:Entity {corpus: $corpus, type: 'GPE'})-[r:RELATES]->(o:Entity)
WHERE r.predicate IN ['is located in', 'is part of'] AND coalesce(r.kept_out, '') <> 'negated'
RETURN DISTINCT p.id AS id, o.name AS outer
ORDER BY id, outer
