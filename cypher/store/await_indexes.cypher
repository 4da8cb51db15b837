// Wait until every index can be used, five minutes at most.
// params: none
// returns: none
// mode: read
CYPHER 25
CALL db.awaitIndexes(300)
