// Mark the mirrored edges that a hop path may take.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (s:Entity {corpus: $corpus})-[m:MIRRORED]->(o)
CALL (s, m, o) {
  MATCH ()-[r:RELATES {id: m.mirror_of}]->()
  SET m.in_paths = r.stated AND s <> o AND s.named AND (o.named OR o.type = 'DATE')
} IN TRANSACTIONS OF 2000 ROWS
