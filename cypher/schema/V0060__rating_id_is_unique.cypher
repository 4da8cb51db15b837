// A Rating's id is unique; the index behind it finds the node.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT rating_id IF NOT EXISTS FOR (n:Rating) REQUIRE n.id IS UNIQUE
