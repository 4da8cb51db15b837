// The articles of a corpus as they are written.
// params: corpus: STRING
// returns: title: STRING, body: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) RETURN a.title AS title, a.body AS body
