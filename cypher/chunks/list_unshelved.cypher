// The articles whose chunks were written before chunks repeated the fields of their article.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (c:Chunk {corpus: $corpus}) WHERE c.shelf IS NULL
RETURN DISTINCT c.article AS id ORDER BY id
