// Delete the questions of a corpus with what people said of them and how they were rated, a bounded batch a transaction.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (q:Question|Review|Rating {corpus: $corpus})
CALL (q) { DETACH DELETE q } IN TRANSACTIONS OF 1000 ROWS
