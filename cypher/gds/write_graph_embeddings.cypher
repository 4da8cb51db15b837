// Write an embedding of every entity of a projection by its place in the graph, by FastRP: (e:Entity {graph_embedding}).
// params: name: STRING, dimensions: INTEGER, seed: INTEGER
// returns: entities: INTEGER
// mode: write alone
CYPHER 25
CALL gds.fastRP.stream($name, {embeddingDimension: $dimensions, randomSeed: $seed, relationshipWeightProperty: 'weight', concurrency: 1})
YIELD nodeId, embedding
WITH gds.util.asNode(nodeId) AS e, embedding
CALL (e, embedding) { SET e.graph_embedding = embedding } IN TRANSACTIONS OF 1000 ROWS
RETURN count(*) AS entities
