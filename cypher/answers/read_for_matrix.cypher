// A run's answers to kept chain questions that have a bin, with what the difficulty matrix wants to know: where the evidence stands;
//   `crossings` are the borders that it must cross, by what it is clustered by.
// params: run: STRING
// returns: question: STRING, hops: INTEGER, bin: INTEGER, difficulty: FLOAT, correct: BOOLEAN, evidence: LIST<MAP>, crossings: MAP
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {kind: 'chain', status: 'kept'}) WHERE q.bin IS NOT NULL
RETURN q.id AS question, q.hops AS hops, q.bin AS bin, q.difficulty_min AS difficulty,
       a.correct AS correct,
       COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c:Chunk) RETURN DISTINCT {hop: s.hop, article: c.article} } AS evidence,
       {place: q.crossings_place, time: q.crossings_time, domain: q.crossings_domain, articles: q.crossings_articles,
        claims: q.crossings_claims, communities: q.crossings_communities} AS crossings
ORDER BY question
