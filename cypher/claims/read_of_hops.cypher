// The sentences that state the fact of each hop of some questions, in any article, with where they stand in its body.
// params: ids: LIST<STRING>
// returns: question: STRING, hop: INTEGER, article: STRING, start: INTEGER, end: INTEGER
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (:Question {id: id})-[:FOLLOWS]->(:Path)-[h:HOP]->(c:Claim)
CALL (h, c) {
  RETURN c.id AS claim
  UNION
  MATCH (s)-[:RELATES {id: h.triple}]->(o)
  MATCH (s)-[r:RELATES {predicate: h.predicate}]->(o)
  WHERE r.stated
  RETURN r.claim AS claim
}
MATCH (s:Claim {id: claim})
RETURN DISTINCT id AS question, h.index AS hop, s.article AS article, s.start AS start, s.end AS end
ORDER BY question, hop, article, start
