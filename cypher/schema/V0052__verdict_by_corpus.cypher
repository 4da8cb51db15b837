// Verdict nodes of one corpus are found without a scan.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX verdict_corpus IF NOT EXISTS FOR (n:Verdict) ON (n.corpus)
