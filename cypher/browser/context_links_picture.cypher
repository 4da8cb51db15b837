// Contextual links as a picture: the two names, the cluster in which they mean the same, and its claims on them.
// params: none
// returns: link: PATH, claims: LIST<PATH>
// mode: read
CYPHER 25
MATCH link = (x:Entity)-[m:CONTEXT_EQUIVALENT]->(y:Entity)
RETURN link, COLLECT { MATCH claim = (k:Cluster {id: m.cluster})<-[:IN_CLUSTER]-(:Claim)-[:MENTIONS]->(e:Entity) WHERE e IN [x, y]
                       RETURN claim LIMIT 4 } AS claims
ORDER BY m.score DESC, x.id, y.id LIMIT 5
