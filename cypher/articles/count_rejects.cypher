// How many remarks of one kind a corpus has: rows that are 'set aside', a 'failed link' that could not be looked for.
// params: corpus: STRING, kind: STRING
// returns: rejects: INTEGER
// mode: read
CYPHER 25
MATCH (r:Reject {corpus: $corpus, kind: $kind}) RETURN count(r) AS rejects
