// Project a graph from its edges, which join both ways: edge i goes from starts[i] to ends[i] with weights[i]. Nodes are numbers.
// params: name: STRING, starts: LIST<INTEGER>, ends: LIST<INTEGER>, weights: LIST<FLOAT>
// returns: nodes: INTEGER
// mode: read
CYPHER 25
UNWIND range(0, size($starts) - 1) AS edge
WITH $starts[edge] AS source, $ends[edge] AS target, $weights[edge] AS weight
WITH gds.graph.project(
  $name, source, target, {relationshipProperties: {weight: weight}}, {undirectedRelationshipTypes: ['*']}
) AS projected
RETURN projected.nodeCount AS nodes
