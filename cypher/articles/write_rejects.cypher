// Remember rows that were set aside, with place and reason.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (r:Reject {id: row.id})
SET r += row, r.corpus = $corpus
