// Whether there is a corpus of this name.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (c:Corpus {corpus: $corpus}) RETURN c.id AS id LIMIT 1
