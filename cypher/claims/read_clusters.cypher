// For each of some chunks with claims the component of the mixture that is most probable over them, of equal ones the first by id.
// params: ids: LIST<STRING>
// returns: chunk: STRING, cluster: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})-[:HAS_CLAIM]->(:Claim)-[m:IN_CLUSTER]->(k:Cluster)
WITH c.id AS chunk, k.id AS cluster, round(sum(m.probability), 6) AS mass ORDER BY chunk, mass DESC, cluster
RETURN chunk, head(collect(cluster)) AS cluster
