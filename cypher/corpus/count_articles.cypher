// How many articles and chunks a corpus holds, and a fingerprint of which articles.
// params: corpus: STRING
// returns: articles: INTEGER, ids: LIST<STRING>
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) WITH a.id AS id ORDER BY id RETURN count(*) AS articles, collect(id) AS ids
