// One path of four hops as a picture: the fact of each hop, and the entity that each leads to.
// params: none
// returns: hop: INTEGER, fact: PATH
// mode: read
CYPHER 25
MATCH (p:Path {hops: 4}) WHERE p.crosses_articles
WITH p ORDER BY p.uses_exact DESC, p.id LIMIT 1
// Instead of the two lines above: MATCH (p:Path {id: 'an id from kg graph paths list'})
MATCH (p)-[h:HOP]->(:Claim)
CALL (h) {
  MATCH fact = (:Entity)-[:RELATES {id: h.edge}]->(:Entity) RETURN fact
  UNION MATCH fact = (:Entity)-[:MIRRORED {id: h.edge}]->(:Entity) RETURN fact
}
RETURN h.index AS hop, fact
ORDER BY hop
