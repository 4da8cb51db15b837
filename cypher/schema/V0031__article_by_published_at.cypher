// Article nodes are found by published_at.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX article_published_at IF NOT EXISTS FOR (n:Article) ON (n.published_at)
