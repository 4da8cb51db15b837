// Copy the chunks of a corpus, title and text as one text, for a library that can't tell corpora apart.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {corpus: $corpus})
CALL (a, c) {
  CREATE (:BenchmarkPassage {id: c.id, text: a.title + '\n' + c.text, embedding: c.embedding})
} IN TRANSACTIONS OF 1000 ROWS
