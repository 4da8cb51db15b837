// A corpus with the settings that it was made with.
// params: id: STRING
// returns: settings: MAP
// mode: read
CYPHER 25
MATCH (c:Corpus {id: $id}) RETURN properties(c) AS settings
