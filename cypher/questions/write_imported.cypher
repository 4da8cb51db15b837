// Write questions of a dataset with their evidence, and the questions of their first and of their single hops, which must be there.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (q:Question {id: row.id})
SET q += row.question, q.corpus = $corpus
WITH q, row
CALL (q, row) {
  WITH q, row
  WHERE row.vector IS NOT NULL
  CALL db.create.setNodeVectorProperty(q, 'embedding', row.vector)
}
CALL (q, row) {
  UNWIND row.gold AS gold
  MATCH (c:Chunk {id: gold.chunk})
  MERGE (q)-[b:SUPPORTED_BY {hop: gold.hop}]->(c)
  SET b.similarity = gold.similarity
}
CALL (q, row) {
  UNWIND row.prefixes AS prefix
  MATCH (x:Question {id: prefix.id})
  MERGE (q)-[:HAS_PREFIX {hops: prefix.hops}]->(x)
}
CALL (q, row) {
  UNWIND row.hop_questions AS one
  MATCH (x:Question {id: one.id})
  MERGE (q)-[h:HAS_HOP_QUESTION {hop: one.hop}]->(x)
  SET h.topology = one.topology
}
