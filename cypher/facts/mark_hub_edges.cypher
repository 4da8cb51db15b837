// Keep the edges that leave a hub out of hop paths; those that lead to it stay, so a hub may end a path.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (s:Entity {corpus: $corpus, hub: true})-[r:RELATES|MIRRORED WHERE r.in_paths]->()
CALL (r) { SET r.in_paths = false, r.kept_out = 'hub' } IN TRANSACTIONS OF 2000 ROWS
