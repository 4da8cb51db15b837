// Forget the claims and mentions of some articles, whole or in part, and what failed there.
// params: corpus: STRING, ids: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article {id: id})
CALL (a) {
  MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM]->(c:Claim)
  WITH DISTINCT c
  DETACH DELETE c
}
CALL (a) {
  MATCH (a)-[:HAS_CHUNK]->(:Chunk)-[n:NAMES]->()
  DELETE n
}
CALL (a) {
  MATCH (r:Reject {corpus: $corpus}) WHERE r.article = a.id
  DETACH DELETE r
}
