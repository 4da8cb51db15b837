// Names that mean the same within one cluster of claims only, why, and what the cluster is about.
// params: none
// returns: corpus: STRING, one: STRING, other: STRING, score: FLOAT, evidence: STRING, cluster_size: INTEGER, about: LIST<STRING>
// mode: read
CYPHER 25
MATCH (x:Entity)-[m:CONTEXT_EQUIVALENT]->(y:Entity)
MATCH (k:Cluster {id: m.cluster})
RETURN x.corpus AS corpus, x.name AS one, y.name AS other, m.score AS score, m.evidence AS evidence, k.size AS cluster_size,
       COLLECT { MATCH (k)<-[i:IN_CLUSTER]-(c:Claim)-[:MENTIONS]->(e:Entity) WHERE e IN [x, y]
                 RETURN DISTINCT c.text LIMIT 3 } AS about
ORDER BY corpus, score DESC, one, other
