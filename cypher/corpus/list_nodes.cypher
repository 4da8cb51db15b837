// The nodes of one kind in a corpus, in the order of their ids; `place` finds a node again without an index.
// params: corpus: STRING, label: STRING
// returns: place: STRING, id: STRING
// mode: read
CYPHER 25
MATCH (n:$($label) {corpus: $corpus})
RETURN elementId(n) AS place, n.id AS id
ORDER BY id
