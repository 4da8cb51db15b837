// Delete all runs of a corpus with their answers, steps, verdicts, cells and findings.
// params: corpus: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (n:Run|Answer|Step|Verdict|Cell|Finding {corpus: $corpus})
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
