// Delete the drawn paths of a corpus, a bounded batch a transaction; a saved path stays as long as its entities, claims and edges do.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (p:Path {corpus: $corpus})
CALL (p) {
  SET p.drawn = false
  REMOVE p.round, p.place
  WITH p
  WHERE NOT coalesce(p.saved, false)
     OR COUNT { (p)-[:VISITS]->() } <= p.hops
     OR COUNT { (p)-[h:HOP]->() WHERE EXISTS { ()-[:RELATES {id: h.edge}]->() } OR EXISTS { ()-[:MIRRORED {id: h.edge}]->() } } < p.hops
  DETACH DELETE p
} IN TRANSACTIONS OF 1000 ROWS
