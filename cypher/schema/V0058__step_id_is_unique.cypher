// A Step's id is unique; the index behind it finds the node.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT step_id IF NOT EXISTS FOR (n:Step) REQUIRE n.id IS UNIQUE
