// Forget the triples of some articles, wherever resolution has moved them.
// params: corpus: STRING, ids: LIST<STRING>
// returns: none
// mode: write alone
CYPHER 25
MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() WHERE r.article IN $ids
CALL (r) { DELETE r } IN TRANSACTIONS OF 2000 ROWS
