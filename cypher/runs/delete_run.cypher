// Delete a run with its answers and cells, a bounded batch a transaction; the run itself is in the last one.
// params: id: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (r:Run {id: $id})
OPTIONAL MATCH (r)-[:GAVE|HAS_CELL]->(n)
WITH r, collect(n) + [r] AS doomed
UNWIND doomed AS n
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
