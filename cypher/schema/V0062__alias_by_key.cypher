// Alias nodes are found by key.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX alias_key IF NOT EXISTS FOR (n:Alias) ON (n.key)
