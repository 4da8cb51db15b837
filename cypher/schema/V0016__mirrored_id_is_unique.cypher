// The id of a MIRRORED edge is unique, so that a re-run merges it.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT mirrored_id IF NOT EXISTS FOR ()-[r:MIRRORED]-() REQUIRE r.id IS UNIQUE
