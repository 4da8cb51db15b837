// The kinds of edge that begin at one kind of node in a corpus, with their properties and the types of these.
// params: corpus: STRING, label: STRING, labels: LIST<STRING>
// returns: type: STRING, name: STRING, types: LIST<STRING>
// mode: read
CYPHER 25
MATCH (n:$($label) {corpus: $corpus})-[r]->(m)
WHERE m.corpus = $corpus AND any(label IN labels(m) WHERE label IN $labels)
// A kind without properties still has a row, so that it is known.
UNWIND CASE keys(r) WHEN [] THEN [null] ELSE keys(r) END AS name
WITH type(r) AS type, name, valueType(r[name]) AS kind
RETURN type, name, collect(DISTINCT kind) AS types
ORDER BY type, name
