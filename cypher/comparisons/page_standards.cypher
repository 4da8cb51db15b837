// The judged comparisons of a corpus by name, with their locked protocols and what came of them, both as JSON; results are empty before.
// params: corpus: STRING, name: STRING
// returns: name: STRING, hash: STRING, protocol: STRING, version: STRING, locked_at: STRING, results: STRING
// mode: read
CYPHER 25
MATCH (s:Standard {corpus: $corpus}) WHERE $name = '' OR s.name = $name
RETURN s.name AS name, s.hash AS hash, s.protocol AS protocol, s.version AS version, toString(s.locked_at) AS locked_at,
       coalesce(s.results, '') AS results
ORDER BY name
