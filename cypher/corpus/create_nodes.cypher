// Make nodes of one kind from fields in one string; an exported script holds this statement with all filled in.
// params: labels: LIST<STRING>, rows: STRING, properties: MAP
// returns: none
// mode: write
CYPHER 25
UNWIND split($rows, '\u001E') AS row
WITH split(row, '\u001F') AS f
CREATE (n:$($labels)) SET n = $properties
