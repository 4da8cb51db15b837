// The paths of a corpus that were drawn; those that were only saved by hand are no part of the sample.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (p:Path {corpus: $corpus}) WHERE p.drawn RETURN p.id AS id ORDER BY p.hops, id
