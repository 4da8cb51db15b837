// Who made works and when they came out, as far as facts say so: one row for each maker or date that an article gives.
// params: corpus: STRING, predicates: LIST<STRING>
// returns: id: STRING, article: STRING, value: STRING, is_date: BOOLEAN
// mode: read
CYPHER 25
MATCH (w:Entity {corpus: $corpus})-[r:RELATES]->(m:Entity)
WHERE r.predicate IN $predicates AND coalesce(r.kept_out, '') <> 'negated'
MATCH (c:Claim {id: r.claim})
RETURN DISTINCT w.id AS id, c.article AS article, m.name AS value, m.type = 'DATE' AS is_date
ORDER BY id, article, value
