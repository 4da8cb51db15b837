// A run as it is recorded.
// params: id: STRING
// returns: run: MAP
// mode: read
CYPHER 25
MATCH (r:Run {id: $id}) RETURN properties(r) AS run
