// Article nodes are found by category.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE INDEX article_category IF NOT EXISTS FOR (n:Article) ON (n.category)
