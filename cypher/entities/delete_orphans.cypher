// Delete entities that nothing hangs on any more.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (e:Entity {corpus: $corpus})
WHERE NOT EXISTS { (e)-[:RELATES|MIRRORED]-() } AND NOT EXISTS { (e)<-[:NAMES|MENTIONS]-() }
CALL (e) { DETACH DELETE e } IN TRANSACTIONS OF 1000 ROWS
