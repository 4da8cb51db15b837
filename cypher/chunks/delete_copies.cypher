// Delete every copy that a benchmark made of chunks.
// params: none
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:BenchmarkPassage)
CALL (n) { DELETE n } IN TRANSACTIONS OF 1000 ROWS
