// The answers of a run with what the difficulty matrix wants to know.
// params: run: STRING
// returns: question: STRING, hops: INTEGER, bin: INTEGER, difficulty: FLOAT, correct: BOOLEAN, f1: FLOAT, articles: LIST<STRING>
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN q.id AS question, q.hops AS hops, q.bin AS bin, q.difficulty_min AS difficulty, a.correct AS correct, a.f1 AS f1,
       COLLECT { MATCH (q)-[:SUPPORTED_BY]->(:Chunk)<-[:HAS_CHUNK]-(x:Article) RETURN DISTINCT x.id ORDER BY x.id } AS articles
ORDER BY question
