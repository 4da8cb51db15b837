// Write onto answers which hops' evidence was retrieved, which hop was lost first, and what broke a wrong answer.
// params: rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (a:Answer {id: row.answer})
SET a.hops_found = row.hops_found, a.first_lost = row.first_lost, a.broken_by = row.broken_by
