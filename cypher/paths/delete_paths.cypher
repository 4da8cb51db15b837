// Delete the paths of a corpus, a bounded batch a transaction.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (p:Path {corpus: $corpus})
CALL (p) { DETACH DELETE p } IN TRANSACTIONS OF 1000 ROWS
