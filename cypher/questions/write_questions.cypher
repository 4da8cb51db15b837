// Write questions with the path that they follow, the entities that they name and that answer them, the claims that they rest on, their evidence, and the questions of their first hops, which must be there.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (q:Question {id: row.question.id})
SET q += row.question, q.corpus = $corpus
WITH q, row
CALL (q, row) {
  WITH q, row
  WHERE row.vector IS NOT NULL
  CALL db.create.setNodeVectorProperty(q, 'embedding', row.vector)
}
CALL (q, row) {
  MATCH (p:Path {id: row.path})
  MERGE (q)-[:FOLLOWS]->(p)
}
CALL (q, row) {
  UNWIND row.asks_about AS id
  MATCH (e:Entity {id: id})
  MERGE (q)-[:ASKS_ABOUT]->(e)
}
CALL (q, row) {
  MATCH (e:Entity {id: row.answered_by})
  MERGE (q)-[:ANSWERED_BY]->(e)
}
CALL (q, row) {
  UNWIND row.claims AS claim
  MATCH (c:Claim {id: claim.id})
  MERGE (q)-[:RESTS_ON {index: claim.index}]->(c)
}
CALL (q, row) {
  UNWIND row.support AS support
  MATCH (c:Chunk {id: support.chunk})
  MERGE (q)-[b:SUPPORTED_BY {hop: support.hop}]->(c)
  SET b.similarity = support.similarity
}
CALL (q, row) {
  UNWIND row.prefixes AS prefix
  MATCH (x:Question {id: prefix.id})
  MERGE (q)-[:HAS_PREFIX {hops: prefix.hops}]->(x)
}
