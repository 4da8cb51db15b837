// The community of every entity of an undirected projection by the Leiden algorithm, as a number without a meaning.
// params: name: STRING, seed: INTEGER, gamma: FLOAT
// returns: entity: STRING, community: INTEGER
// mode: read
CYPHER 25
CALL gds.leiden.stream($name, {relationshipWeightProperty: 'weight', randomSeed: $seed, gamma: $gamma, concurrency: 1})
YIELD nodeId, communityId
RETURN gds.util.asNode(nodeId).id AS entity, communityId AS community ORDER BY entity
