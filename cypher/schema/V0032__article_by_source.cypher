// Article nodes are found by source.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX article_source IF NOT EXISTS FOR (n:Article) ON (n.source)
