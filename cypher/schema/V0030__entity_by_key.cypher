// Entity nodes are found by key.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX entity_key IF NOT EXISTS FOR (n:Entity) ON (n.key)
