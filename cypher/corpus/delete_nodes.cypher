// Delete everything of a corpus but its own node, a bounded batch a transaction.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:Article|Chunk|Claim|Entity|Alias|Cluster|Path|Question|Run|Answer|Step|Cell|Finding|Stage|Reject|SplitGroup|Correction|Verdict|Review|Rating|Standard {corpus: $corpus})
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
