// Write properties onto questions, such as their bin, or how many clusters their evidence spans; those of the same names anew.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (q:Question {id: row.id})
SET q += row.properties
