// For each answer of a run the evidence of its question, by hop, and whether the run retrieved it in any step; an imported null question counts as null.
// params: run: STRING
// returns: answer: STRING, kind: STRING, correct: BOOLEAN, abstained: BOOLEAN, error: STRING, told: BOOLEAN, evidence: LIST<MAP>
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN a.id AS answer, CASE WHEN q.kind = 'imported' AND q.query_type = 'null' THEN 'null' ELSE q.kind END AS kind, a.correct AS correct, a.abstained AS abstained, coalesce(a.error, '') AS error, coalesce(a.retrieval_told, true) AS told,
       COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c:Chunk) RETURN {hop: s.hop, found: EXISTS { (a)-[:RETRIEVED]->(c) }} } AS evidence
ORDER BY answer
