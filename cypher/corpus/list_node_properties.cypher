// The properties of one kind of node in a corpus, with the types that their values have.
// params: corpus: STRING, label: STRING
// returns: name: STRING, types: LIST<STRING>
// mode: read
CYPHER 25
MATCH (n:$($label) {corpus: $corpus})
UNWIND keys(n) AS name
WITH name, valueType(n[name]) AS type
RETURN name, collect(DISTINCT type) AS types
ORDER BY name
