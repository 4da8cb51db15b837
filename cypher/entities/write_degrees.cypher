// Write the degree of every entity, which is how many facts it takes part in, and take back what was said of hubs.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
CALL (e) {
  SET e.degree = COUNT { (e)-[:RELATES]-() }, e.hub = false, e.hub_reason = null
} IN TRANSACTIONS OF 2000 ROWS
