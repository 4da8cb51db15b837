// The articles of which something could not be read.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (r:Reject {corpus: $corpus, kind: 'failed'})
RETURN DISTINCT r.article AS id ORDER BY id
