// Write the PageRank of every entity of a projection, weighted by the number of facts: (e:Entity {pagerank}).
// params: name: STRING, damping: FLOAT, iterations: INTEGER
// returns: entities: INTEGER
// mode: write alone
CYPHER 25
CALL gds.pageRank.stream($name, {dampingFactor: $damping, maxIterations: $iterations, relationshipWeightProperty: 'weight'})
YIELD nodeId, score
WITH gds.util.asNode(nodeId) AS e, score
CALL (e, score) { SET e.pagerank = score } IN TRANSACTIONS OF 5000 ROWS
RETURN count(*) AS entities
