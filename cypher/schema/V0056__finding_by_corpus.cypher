// Finding nodes of one corpus are found without a scan.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX finding_corpus IF NOT EXISTS FOR (n:Finding) ON (n.corpus)
