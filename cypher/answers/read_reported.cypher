// A run's answers to kept questions of every kind, with verdicts, losses, what they took, and where the question's evidence stands.
// params: run: STRING
// returns: question: STRING, kind: STRING, query_type: STRING, hops: INTEGER, given: STRING, gold: STRING, accepted: LIST<STRING>, correct: BOOLEAN, exact_match: BOOLEAN, answer_match: BOOLEAN, f1: FLOAT, abstained: BOOLEAN, error: STRING,
//   judged_by: STRING, seconds: FLOAT, input_tokens: INTEGER, output_tokens: INTEGER, cost: FLOAT, hops_found: LIST<BOOLEAN>,
//   first_lost: INTEGER, broken_by: STRING, unaligned: INTEGER, told: BOOLEAN, cached_input_tokens: INTEGER, reasoning_tokens: INTEGER,
//   bin: INTEGER, cites: BOOLEAN, confidence: FLOAT, unmatched: INTEGER, evidence: LIST<MAP>, retrieved: LIST<STRING>
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {status: 'kept'})
RETURN q.id AS question, q.kind AS kind,
       coalesce(q.query_type, '') AS query_type, q.hops AS hops, coalesce(a.text, '') AS given, q.answer AS gold, coalesce(q.accepted, []) AS accepted,
       a.correct AS correct, a.exact_match AS exact_match, coalesce(a.answer_match, a.exact_match) AS answer_match, a.f1 AS f1,
       a.abstained AS abstained, coalesce(a.error, '') AS error, coalesce(a.judged_by, 'exact match') AS judged_by,
       coalesce(a.seconds, 0.0) AS seconds, coalesce(a.input_tokens, 0) AS input_tokens, coalesce(a.output_tokens, 0) AS output_tokens,
       a.cost AS cost, coalesce(a.hops_found, []) AS hops_found, a.first_lost AS first_lost, a.broken_by AS broken_by,
       coalesce(a.unaligned, 0) AS unaligned, coalesce(a.retrieval_told, true) AS told,
       coalesce(a.cached_input_tokens, 0) AS cached_input_tokens, coalesce(a.reasoning_tokens, 0) AS reasoning_tokens,
       q.bin AS bin, size(coalesce(a.cited, [])) > 0 AS cites, a.confidence AS confidence, coalesce(q.unmatched, 0) AS unmatched,
       COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c:Chunk)
                 RETURN {hop: s.hop, article: c.article, chunk: c.id, cited: c.id IN coalesce(a.cited, [])} } AS evidence,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c:Chunk) RETURN c.id ORDER BY t.rank, c.id } AS retrieved
ORDER BY question
