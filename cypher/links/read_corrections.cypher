// The corrections of a corpus in the order in which they were made.
// params: corpus: STRING
// returns: correction: MAP
// mode: read
CYPHER 25
MATCH (c:Correction {corpus: $corpus})
RETURN properties(c) AS correction ORDER BY c.created_at, c.id
