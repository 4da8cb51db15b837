// Write the chunks of articles with the fields of their article, link each to the next, and mark the articles as done.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (a:Article {id: row.article})
CALL (a, row) {
  UNWIND row.chunks AS chunk
  MERGE (c:Chunk {id: chunk.id})
  SET c += chunk, c += row.fields, c.corpus = $corpus
  MERGE (a)-[:HAS_CHUNK {position: chunk.position}]->(c)
}
CALL (row) {
  UNWIND row.links AS link
  MATCH (x:Chunk {id: link.from}), (y:Chunk {id: link.to})
  MERGE (x)-[:NEXT]->(y)
}
SET a.chunked = size(row.chunks)
