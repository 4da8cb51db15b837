// Write questions of another set, with the chunks that hold their evidence in place of those found before; what reviews decided on one stays.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (q:Question {id: row.id})
ON CREATE SET q.corpus = $corpus, q.kind = 'imported', q.status = 'kept', q.text = row.text
SET q += row.told
WITH q, row
CALL (q, row) {
  CALL db.create.setNodeVectorProperty(q, 'embedding', row.vector)
}
CALL (q) {
  MATCH (q)-[b:SUPPORTED_BY]->(:Chunk)
  DELETE b
}
CALL (q, row) {
  UNWIND row.support AS support
  MATCH (c:Chunk {id: support.chunk})
  MERGE (q)-[b:SUPPORTED_BY {hop: support.hop}]->(c)
  SET b.similarity = support.similarity
}
