// Drop a projected graph; one that is gone already does no harm.
// params: name: STRING
// returns: name: STRING
// mode: read
CYPHER 25
CALL gds.graph.drop($name, false) YIELD graphName
RETURN graphName AS name
