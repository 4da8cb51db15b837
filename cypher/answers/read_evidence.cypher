// For each answer of a run the evidence of its question, by hop, and whether the run retrieved it in any step.
// params: run: STRING
// returns: answer: STRING, kind: STRING, query_type: STRING, correct: BOOLEAN, error: STRING, told: BOOLEAN, evidence: LIST<MAP>
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN a.id AS answer, q.kind AS kind, q.query_type AS query_type, a.correct AS correct, coalesce(a.error, '') AS error, coalesce(a.retrieval_told, true) AS told,
       COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c:Chunk) RETURN {hop: s.hop, found: EXISTS { (a)-[:RETRIEVED]->(c) }} } AS evidence
ORDER BY answer
