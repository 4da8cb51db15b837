// The id of a RELATES edge is unique, so that a re-run merges it.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT relates_id IF NOT EXISTS FOR ()-[r:RELATES]-() REQUIRE r.id IS UNIQUE
