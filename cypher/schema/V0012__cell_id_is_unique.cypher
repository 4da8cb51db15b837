// A Cell's id is unique; the index behind it finds the node.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT cell_id IF NOT EXISTS FOR (n:Cell) REQUIRE n.id IS UNIQUE
