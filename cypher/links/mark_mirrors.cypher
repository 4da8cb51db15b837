// Mark the mirrored edges that a hop path may take; `kept_out` is the first reason why not, the mirrored triple's doubts first.
// params: corpus: STRING, concepts: BOOLEAN
// returns: none
// mode: write alone
CYPHER 25
MATCH (s:Entity {corpus: $corpus})-[m:MIRRORED]->(o)
CALL (s, m, o) {
  MATCH ()-[r:RELATES {id: m.mirror_of}]->()
  SET m.kept_out = CASE WHEN NOT r.stated AND NOT coalesce(r.kept_out, 'self') IN ['self', 'unnamed', 'literal'] THEN r.kept_out
                        WHEN s = o THEN 'self'
                        WHEN NOT ($concepts OR (coalesce(s.named OR s.literal, false) AND coalesce(o.named OR o.literal, false))) THEN 'unnamed'
                        WHEN s.literal OR (o.literal AND o.type <> 'DATE') THEN 'literal' END
  SET m.in_paths = m.kept_out IS NULL
} IN TRANSACTIONS OF 2000 ROWS
