// A Finding's id is unique; the index behind it finds the node.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT finding_id IF NOT EXISTS FOR (n:Finding) REQUIRE n.id IS UNIQUE
