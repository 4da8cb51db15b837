// Note on questions how many clusters their evidence spans and how many borders it crosses, by facet.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (q:Question {id: row.id})
SET q += row.spans
