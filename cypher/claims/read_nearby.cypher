// Of each fact the claims that tell of the entity which it leaves, or of one that is the same in some context: verified ones but those of its question, those without a name of the entity that it leads to first, then those whose vectors are nearest to the fact's own claim.
// params: rows: LIST<MAP>, looked_at: INTEGER, most: INTEGER
// returns: at: INTEGER, hop: INTEGER, texts: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $rows AS row
MATCH (own:Claim {id: row.claim}), (left:Entity {id: row.left}), (reached:Entity {id: row.reached})
LET names = [reached.name] + coalesce(reached.aliases, [])
CALL (row, own, left, names) {
  MATCH (left)-[:CONTEXT_EQUIVALENT]-{0,1}(e:Entity)
  MATCH (e)<-[:MENTIONS]-(c:Claim)
  WITH DISTINCT row, own, names, c ORDER BY c.id LIMIT $looked_at
  WHERE NOT c.id IN row.claims AND coalesce(c.verified, true)
  LET repeats = any(name IN names WHERE c.text CONTAINS name),
      near = CASE WHEN c.embedding IS NULL OR own.embedding IS NULL THEN 0.0
                  ELSE vector.similarity.cosine(c.embedding, own.embedding) END
  RETURN c, repeats, near ORDER BY repeats, near DESC, c.id LIMIT $most
}
RETURN row.at AS at, row.hop AS hop, collect(c.text) AS texts
