// The names of the named entities of a corpus, with their types.
// params: corpus: STRING
// returns: name: STRING, type: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {corpus: $corpus}) WHERE e.named
RETURN e.name AS name, e.type AS type
