// Write the components of the mixture.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MERGE (k:Cluster {id: row.id})
SET k += row, k.corpus = $corpus
