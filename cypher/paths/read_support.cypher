// The chunks that state the fact of each hop of some paths, in any article.
// params: ids: LIST<STRING>
// returns: path: STRING, hop: INTEGER, chunk: STRING, article: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (p:Path {id: id})-[h:HOP]->(c:Claim)
CALL (h, c) {
  RETURN c.id AS claim
  UNION
  MATCH (s)-[:RELATES {id: h.triple}]->(o)
  MATCH (s)-[r:RELATES {predicate: h.predicate}]->(o)
  WHERE r.stated
  RETURN r.claim AS claim
}
MATCH (:Claim {id: claim})<-[:HAS_CLAIM]-(k:Chunk)<-[:HAS_CHUNK]-(a:Article)
RETURN DISTINCT id AS path, h.index AS hop, k.id AS chunk, a.id AS article
