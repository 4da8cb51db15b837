// The facts that a claim states are found by it, however many others there are of the same names.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX relates_claim IF NOT EXISTS FOR ()-[r:RELATES]-() ON (r.claim)
