// Write the community of every entity of an undirected projection by the Leiden algorithm: (e:Entity {community}), 0 for the largest.
// params: name: STRING, seed: INTEGER, gamma: FLOAT
// returns: entities: INTEGER
// mode: write alone
CYPHER 25
CALL gds.leiden.stream($name, {relationshipWeightProperty: 'weight', randomSeed: $seed, gamma: $gamma, concurrency: 1})
YIELD nodeId, communityId
WITH communityId, gds.util.asNode(nodeId) AS e ORDER BY e.id
WITH communityId, collect(e) AS members
WITH members ORDER BY size(members) DESC, members[0].id
WITH collect(members) AS communities
UNWIND range(0, size(communities) - 1) AS number
UNWIND communities[number] AS e
CALL (e, number) { SET e.community = number } IN TRANSACTIONS OF 5000 ROWS
RETURN count(*) AS entities
