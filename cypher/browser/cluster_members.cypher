// The claims that belong most to each cluster, and in how many other clusters they are: membership is soft.
// params: none
// returns: corpus: STRING, cluster: STRING, claim: STRING, probability: FLOAT, other_clusters: INTEGER
// mode: read
CYPHER 25
MATCH (k:Cluster)
CALL (k) {
  MATCH (c:Claim)-[i:IN_CLUSTER]->(k)
  RETURN c, i.probability AS probability ORDER BY probability DESC, c.id LIMIT 5
}
RETURN k.corpus AS corpus, k.id AS cluster, c.text AS claim, round(probability, 3) AS probability,
       COUNT { (c)-[:IN_CLUSTER]->() } - 1 AS other_clusters
ORDER BY corpus, k.size DESC, cluster, probability DESC
