// The articles whose claims have not been extracted yet.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) WHERE a.extracted IS NULL
RETURN a.id AS id ORDER BY id
