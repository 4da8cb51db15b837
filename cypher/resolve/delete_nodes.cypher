// Delete the aliases and clusters of an earlier resolution.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:Alias|Cluster {corpus: $corpus})
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
