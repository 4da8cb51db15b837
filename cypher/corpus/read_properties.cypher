// A corpus or a run as it is recorded: the settings that it was made with, and what was noted on it since.
// params: id: STRING
// returns: properties: MAP
// mode: read
CYPHER 25
MATCH (n:Corpus|Run {id: $id}) RETURN properties(n) AS properties
