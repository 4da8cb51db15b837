// Delete the mirrored edges and contextual links of an earlier resolution.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (:Entity {corpus: $corpus})-[r:MIRRORED|CONTEXT_EQUIVALENT]->()
CALL (r) { DELETE r } IN TRANSACTIONS OF 2000 ROWS
