// How many remarks of each kind a corpus has: rows that were 'set aside', what could not be read or looked for ('failed', 'failed link'), or was not believed.
// params: corpus: STRING
// returns: kind: STRING, count: INTEGER
// mode: read
CYPHER 25
MATCH (r:Reject {corpus: $corpus})
RETURN r.kind AS kind, count(r) AS count ORDER BY kind
