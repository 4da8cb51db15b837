// The paths of a corpus that were drawn or asked for by hand, of any round.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (p:Path {corpus: $corpus}) WHERE p.drawn OR p.asked
RETURN p.id AS id ORDER BY id
