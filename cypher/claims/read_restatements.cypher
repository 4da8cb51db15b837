// The claims that may state some triples once more, their own among them: verified ones, not denied, that mention one end and have a name of the other; with what they say between the two ends, and their chunks.
// params: ids: LIST<STRING>, most: INTEGER
// returns: id: STRING, predicate: STRING, subject: LIST<STRING>, object: LIST<STRING>, own: BOOLEAN, text: STRING, said: LIST<STRING>, chunks: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (s)-[r:RELATES {id: id}]->(o)
LET rare = CASE WHEN COUNT { (s)<-[:MENTIONS]-() } <= COUNT { (o)<-[:MENTIONS]-() } THEN s ELSE o END
LET other = CASE WHEN rare = s THEN o ELSE s END
LET names = [other.name] + coalesce(other.aliases, [])
CALL (rare, other, names, r) {
  MATCH (c:Claim {id: r.claim}) RETURN c
  UNION
  MATCH (rare)<-[:MENTIONS]-(c:Claim)
  WITH DISTINCT c, other, names, r ORDER BY c.id LIMIT $most
  WHERE c.id <> r.claim AND coalesce(c.verified, true)
    AND any(name IN names WHERE c.text CONTAINS name)
  RETURN c
}
LET between = COLLECT { MATCH (s)-[t:RELATES]->(o) WHERE t.claim = c.id RETURN t }
WITH id, s, r, o, c, between
WHERE c.id = r.claim OR NOT any(t IN between WHERE coalesce(t.negated, false))
RETURN id, r.predicate AS predicate, [s.name] + coalesce(s.aliases, []) AS subject,
       [o.name] + coalesce(o.aliases, []) AS object, c.id = r.claim AS own, c.text AS text,
       [t IN between | t.predicate] AS said,
       COLLECT { MATCH (c)<-[:HAS_CLAIM]-(k:Chunk) RETURN k.id } AS chunks
