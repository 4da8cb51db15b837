// A SplitGroup's id is unique; the index behind it finds the node.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT split_group_id IF NOT EXISTS FOR (n:SplitGroup) REQUIRE n.id IS UNIQUE
