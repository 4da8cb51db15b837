// A Reject's id is unique; the index behind it finds the node.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT reject_id IF NOT EXISTS FOR (n:Reject) REQUIRE n.id IS UNIQUE
