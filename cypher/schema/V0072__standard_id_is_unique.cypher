// A Standard's id is unique; the index behind it finds the node.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT standard_id IF NOT EXISTS FOR (n:Standard) REQUIRE n.id IS UNIQUE
