// The clusters of claims: how big they are, what they are about, and how many names mean the same in each.
// params: none
// returns: corpus: STRING, cluster: STRING, claims: INTEGER, names: LIST<STRING>, contextual_links: INTEGER
// mode: read
CYPHER 25
MATCH (k:Cluster)
RETURN k.corpus AS corpus, k.id AS cluster, k.size AS claims,
       COLLECT { MATCH (k)<-[:IN_CLUSTER]-(:Claim)-[:MENTIONS]->(e:Entity) WHERE e.named
                 WITH e.name AS name, count(*) AS claims ORDER BY claims DESC, name LIMIT 6 RETURN name } AS names,
       COUNT { (:Entity)-[:CONTEXT_EQUIVALENT {cluster: k.id}]->(:Entity) } AS contextual_links
ORDER BY corpus, claims DESC, cluster
