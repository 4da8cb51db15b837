// Delete all runs of a corpus with their answers and cells.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:Run|Answer|Cell {corpus: $corpus})
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
