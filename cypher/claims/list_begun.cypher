// The unread articles of which something was extracted before: the writing was cut off, or they are to be read again.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
WHERE a.extracted IS NULL
  AND (EXISTS { (a)-[:HAS_CHUNK]->(:Chunk)-[:HAS_CLAIM|NAMES]->() }
       OR EXISTS { MATCH (r:Reject {corpus: $corpus}) WHERE r.article = a.id })
RETURN a.id AS id ORDER BY id
