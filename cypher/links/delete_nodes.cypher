// Delete the aliases, clusters and split groups of an earlier resolution, and what it could not read.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:Alias|Cluster|SplitGroup|Reject {corpus: $corpus})
WHERE NOT n:Reject OR n.kind IN ['failed link', 'dropped link']
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
