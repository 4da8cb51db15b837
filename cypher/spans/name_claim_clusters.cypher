// The entities that the claims of some components of the mixture mention most, up to three each.
// params: ids: LIST<STRING>
// returns: id: STRING, names: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (k:Cluster {id: id})
RETURN k.id AS id,
       COLLECT { MATCH (k)<-[m:IN_CLUSTER]-(:Claim)-[:MENTIONS]->(e:Entity) WHERE e.named
                 WITH e.name AS name, round(sum(m.probability), 6) AS mass ORDER BY mass DESC, name LIMIT 3
                 RETURN name } AS names
