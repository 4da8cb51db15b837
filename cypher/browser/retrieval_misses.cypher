// For wrong and for right answers, how much of the evidence was among the chunks that were retrieved.
// params: none
// returns: run: STRING, hops: INTEGER, correct: BOOLEAN, answers: INTEGER, evidence_found: FLOAT
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
WITH r, a, q, COUNT { (q)-[:SUPPORTED_BY]->(:Chunk) } AS wanted,
     COUNT { MATCH (q)-[:SUPPORTED_BY]->(c:Chunk)<-[:RETRIEVED]-(a) RETURN c } AS found
WHERE wanted > 0
RETURN r.name AS run, q.hops AS hops, a.correct AS correct, count(*) AS answers, round(avg(1.0 * found / wanted), 2) AS evidence_found
ORDER BY run, hops, correct
