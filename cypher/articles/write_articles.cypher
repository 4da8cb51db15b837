// Write articles of a corpus.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (a:Article {id: row.id})
ON CREATE SET a += row, a.corpus = $corpus
