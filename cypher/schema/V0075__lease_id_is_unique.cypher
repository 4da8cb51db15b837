// A lease is found, and taken, by one id.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE CONSTRAINT lease_id IF NOT EXISTS FOR (n:Lease) REQUIRE n.id IS UNIQUE
