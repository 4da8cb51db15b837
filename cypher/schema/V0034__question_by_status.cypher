// Question nodes are found by status.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX question_status IF NOT EXISTS FOR (n:Question) ON (n.status)
