// The ledger of a corpus: what ran, in which state it is, and what came of it.
// params: corpus: STRING
// returns: stage: MAP
// mode: read
CYPHER 25
MATCH (s:Stage {corpus: $corpus}) RETURN properties(s) AS stage ORDER BY s.position, s.name
