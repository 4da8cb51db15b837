// The masses of the nodes numbered from first on after a personalised PageRank; each seed is a node's number with its share of the start.
// params: name: STRING, seeds: LIST<LIST<ANY>>, first: INTEGER, damping: FLOAT, iterations: INTEGER, tolerance: FLOAT
// returns: node: INTEGER, mass: FLOAT
// mode: read
CYPHER 25
CALL gds.pageRank.stream($name, {
  sourceNodes: $seeds, dampingFactor: $damping, maxIterations: $iterations, tolerance: $tolerance,
  relationshipWeightProperty: 'weight'
}) YIELD nodeId, score
WITH nodeId, score WHERE nodeId >= $first AND score > 0
RETURN nodeId AS node, score AS mass
