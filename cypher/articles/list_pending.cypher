// The articles that lack the mark of a step of the build: 'chunked', or 'extracted' once their claims are written.
// params: corpus: STRING, mark: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) WHERE a[$mark] IS NULL
RETURN a.id AS id ORDER BY id
