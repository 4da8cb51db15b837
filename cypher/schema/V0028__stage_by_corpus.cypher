// Stage nodes of one corpus are found without a scan.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX stage_corpus IF NOT EXISTS FOR (n:Stage) ON (n.corpus)
