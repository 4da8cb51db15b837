// The projected graphs whose names begin so.
// params: prefix: STRING
// returns: name: STRING
// mode: read
CYPHER 25
CALL gds.graph.list() YIELD graphName
WHERE graphName STARTS WITH $prefix
RETURN graphName AS name ORDER BY name
