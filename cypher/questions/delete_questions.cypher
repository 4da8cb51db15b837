// Delete the questions of a corpus, a bounded batch a transaction.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (q:Question {corpus: $corpus})
CALL (q) { DETACH DELETE q } IN TRANSACTIONS OF 1000 ROWS
