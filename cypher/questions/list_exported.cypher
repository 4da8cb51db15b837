// The kept questions of a corpus with the articles that their evidence and their facts stand in.
// params: corpus: STRING
// returns: id: STRING, articles: LIST<STRING>
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'})
RETURN q.id AS id,
       COLLECT { MATCH (q)-[:SUPPORTED_BY]->(:Chunk)<-[:HAS_CHUNK]-(a:Article) RETURN DISTINCT a.id AS article
                 UNION MATCH (q)-[:RESTS_ON]->(c:Claim) RETURN DISTINCT c.article AS article } AS articles
ORDER BY id
