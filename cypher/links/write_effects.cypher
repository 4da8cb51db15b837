// Write what became of corrections in the resolution that has just ended.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (c:Correction {id: row.id})
SET c.effect = row.effect
