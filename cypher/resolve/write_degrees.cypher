// Write the degree of every entity: how many facts it takes part in.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
CALL (e) { SET e.degree = COUNT { (e)-[:RELATES]-() } } IN TRANSACTIONS OF 2000 ROWS
