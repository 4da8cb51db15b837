// Delete a run with its answers and cells, a bounded batch a transaction.
// params: id: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (:Run {id: $id})-[:GAVE|HAS_CELL]->(n)
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
