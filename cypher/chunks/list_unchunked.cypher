// The articles that have no chunks yet.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) WHERE a.chunked IS NULL
RETURN a.id AS id ORDER BY id
