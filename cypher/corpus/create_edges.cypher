// Join nodes by edges of one kind from fields in one string; an exported script holds it with all filled in.
// params: start: STRING, end: STRING, type: STRING, rows: STRING, properties: MAP
// returns: none
// mode: write
CYPHER 25
UNWIND split($rows, '\u001E') AS row
WITH split(row, '\u001F') AS f
MATCH (a:$($start) {id: f[0]}) MATCH (b:$($end) {id: f[1]})
CREATE (a)-[r:$($type)]->(b) SET r = $properties
