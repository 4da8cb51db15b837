// What could not be read, or was not believed, by kind.
// params: corpus: STRING
// returns: kind: STRING, count: INTEGER
// mode: read
CYPHER 25
MATCH (r:Reject {corpus: $corpus})
RETURN r.kind AS kind, count(r) AS count ORDER BY kind
