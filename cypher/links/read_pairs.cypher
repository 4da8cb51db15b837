// Pairs of entities that mean the same in some clusters: the clusters with score and evidence, how many mirrored edges they gave, and some sentences of these clusters for each side, those with the name first.
// params: rows: LIST<MAP>, sentences: INTEGER
// returns: clusters: LIST<MAP>, mirrored: INTEGER, a: MAP, b: MAP
// mode: read
CYPHER 25
UNWIND $rows AS row
MATCH (a:Entity {id: row.a}), (b:Entity {id: row.b})
LET clusters = COLLECT {
      MATCH (a)-[l:CONTEXT_EQUIVALENT]->(b) RETURN l {.cluster, .score, .evidence} ORDER BY l.score DESC, l.cluster
    }
LET ids = [found IN clusters | found.cluster]
RETURN clusters,
       COUNT { (a)-[m:MIRRORED WHERE m.cluster IN ids AND m.via = b.id]-() }
       + COUNT { (b)-[m:MIRRORED WHERE m.cluster IN ids AND m.via = a.id]-() } AS mirrored,
       a {.id, .name, .type, sentences: COLLECT {
         MATCH (a)<-[m:MENTIONS]-(c:Claim)-[:IN_CLUSTER]->(k:Cluster) WHERE k.id IN ids
         WITH c.sentence AS sentence, c.article AS article, max(c.sentence CONTAINS m.name) AS named
         ORDER BY named DESC, sentence LIMIT $sentences
         MATCH (t:Article {id: article}) RETURN {sentence: sentence, article: t.title}
       }} AS a,
       b {.id, .name, .type, sentences: COLLECT {
         MATCH (b)<-[m:MENTIONS]-(c:Claim)-[:IN_CLUSTER]->(k:Cluster) WHERE k.id IN ids
         WITH c.sentence AS sentence, c.article AS article, max(c.sentence CONTAINS m.name) AS named
         ORDER BY named DESC, sentence LIMIT $sentences
         MATCH (t:Article {id: article}) RETURN {sentence: sentence, article: t.title}
       }} AS b
