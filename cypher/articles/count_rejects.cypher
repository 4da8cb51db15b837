// How many rows of a corpus are set aside.
// params: corpus: STRING
// returns: set_aside: INTEGER
// mode: read
CYPHER 25
MATCH (r:Reject {corpus: $corpus, kind: 'set aside'}) RETURN count(r) AS set_aside
