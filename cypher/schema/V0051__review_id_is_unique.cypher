// A Review's id is unique; the index behind it finds the node.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT review_id IF NOT EXISTS FOR (n:Review) REQUIRE n.id IS UNIQUE
