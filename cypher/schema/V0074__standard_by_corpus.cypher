// Standard nodes of one corpus are found without a scan.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX standard_corpus IF NOT EXISTS FOR (n:Standard) ON (n.corpus)
