// A Verdict's id is unique; the index behind it finds the node.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT verdict_id IF NOT EXISTS FOR (n:Verdict) REQUIRE n.id IS UNIQUE
