// What is locked under a standard's id, and what came of it as JSON, null before.
// params: id: STRING
// returns: hash: STRING, protocol: STRING, version: STRING, locked_at: STRING, results: STRING
// mode: read
CYPHER 25
MATCH (s:Standard {id: $id})
RETURN s.hash AS hash, s.protocol AS protocol, s.version AS version, toString(s.locked_at) AS locked_at,
       s.results AS results
