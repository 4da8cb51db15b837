// One question as a picture: what it asks about, its path with the claims, the evidence and the answer.
// params: none
// returns: part: PATH
// mode: read
CYPHER 25
MATCH (q:Question {status: 'kept', kind: 'chain', hops: 3})
WITH q ORDER BY q.error_rate, q.id LIMIT 1
CALL (q) {
  MATCH part = (q)-[:FOLLOWS]->(:Path)-[:HOP]->(:Claim)<-[:HAS_CLAIM]-(:Chunk)<-[:HAS_CHUNK]-(:Article) RETURN part
  UNION MATCH part = (q)-[:ASKS_ABOUT|ANSWERED_BY]->(:Entity) RETURN part
  UNION MATCH part = (q)-[:SUPPORTED_BY]->(:Chunk) RETURN part
}
RETURN part
