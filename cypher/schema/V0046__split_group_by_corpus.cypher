// SplitGroup nodes of one corpus are found without a scan.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX split_group_corpus IF NOT EXISTS FOR (n:SplitGroup) ON (n.corpus)
