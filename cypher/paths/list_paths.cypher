// The paths of a corpus.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (p:Path {corpus: $corpus}) RETURN p.id AS id ORDER BY p.hops, id
