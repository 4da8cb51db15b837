// The answers of a run with what the difficulty matrix wants to know.
// params: run: STRING
// returns: question: STRING, hops: INTEGER, bin: INTEGER, difficulty: FLOAT, correct: BOOLEAN, f1: FLOAT, article: STRING
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN q.id AS question, q.hops AS hops, q.bin AS bin, q.difficulty_min AS difficulty, a.correct AS correct, a.f1 AS f1,
       COLLECT { MATCH (q)-[:SUPPORTED_BY {hop: q.hops}]->(:Chunk)<-[:HAS_CHUNK]-(x:Article)
                 RETURN x.id ORDER BY x.id LIMIT 1 }[0] AS article
ORDER BY question
