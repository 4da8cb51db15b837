// The articles that a corpus has.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) RETURN a.id AS id
