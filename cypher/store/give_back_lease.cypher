// Give a lease back, if it is still one's own.
// params: id: STRING, token: STRING
// returns: none
// mode: write
CYPHER 25
MERGE (gate:Lease {id: 'gate'}) SET gate.passed_at = timestamp()
WITH gate
MATCH (mine:Lease {id: $id, token: $token})
DELETE mine
