// One answer of a corpus with what was retrieved for it, the steps that were taken with what each saw, and the verdicts on it.
// params: corpus: STRING, id: STRING
// returns: id: STRING, run: STRING, question: STRING, question_text: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, gold: STRING, text: STRING, correct: BOOLEAN, abstained: BOOLEAN, error: STRING, broken_by: STRING, first_lost: INTEGER, seconds: FLOAT, exact_match: BOOLEAN, f1: FLOAT, judged_by: STRING, input_tokens: INTEGER, output_tokens: INTEGER, cost: FLOAT, unaligned: INTEGER, unaligned_texts: LIST<STRING>, retrieval_told: BOOLEAN, retrieved: LIST<MAP>, steps: LIST<MAP>, verdicts: LIST<MAP>
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE|GAVE_PREFIX]->(a:Answer {id: $id, corpus: $corpus})-[:TO]->(q:Question)
RETURN a.id AS id, r.name AS run, q.id AS question, coalesce(q.text, '') AS question_text, q.kind AS kind, coalesce(q.hops, 0) AS hops,
       q.bin AS bin, coalesce(q.answer, '') AS gold, coalesce(a.text, '') AS text, coalesce(a.correct, false) AS correct,
       coalesce(a.abstained, false) AS abstained, coalesce(a.error, '') AS error, coalesce(a.broken_by, '') AS broken_by,
       a.first_lost AS first_lost, a.seconds AS seconds, coalesce(a.exact_match, false) AS exact_match, coalesce(a.f1, 0.0) AS f1,
       coalesce(a.judged_by, 'exact match') AS judged_by, coalesce(a.input_tokens, 0) AS input_tokens,
       coalesce(a.output_tokens, 0) AS output_tokens, a.cost AS cost,
       coalesce(a.unaligned, 0) AS unaligned, coalesce(a.unaligned_texts, []) AS unaligned_texts, coalesce(a.retrieval_told, true) AS retrieval_told,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c:Chunk)
                 OPTIONAL MATCH (n:Article {id: c.article})
                 RETURN {rank: t.rank, score: t.score, step: coalesce(t.step, 0), chunk: c.id, article: c.article,
                         title: coalesce(n.title, ''), text: c.text, gold: EXISTS { (q)-[:SUPPORTED_BY]->(c) }}
                 ORDER BY t.rank } AS retrieved,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step)
                 RETURN {index: s.index, action: coalesce(s.action, ''), query: coalesce(s.query, ''), observation: coalesce(s.observation, ''),
                         retrieves: coalesce(s.retrieves, s.action = 'retrieve', false), top_k: s.top_k, filters: coalesce(s.filters, ''),
                         thought: coalesce(s.thought, ''), arguments: coalesce(s.arguments, ''), fault: coalesce(s.fault, ''),
                         input_tokens: coalesce(s.input_tokens, 0), output_tokens: coalesce(s.output_tokens, 0), seconds: s.seconds,
                         seen: COLLECT { MATCH (s)-[t:SAW]->(c:Chunk)
                                         OPTIONAL MATCH (n:Article {id: c.article})
                                         RETURN {rank: t.rank, score: t.score, chunk: c.id, article: c.article, title: coalesce(n.title, ''),
                                                 gold: EXISTS { (q)-[:SUPPORTED_BY]->(c) }}
                                         ORDER BY t.rank }}
                 ORDER BY s.index } AS steps,
       COLLECT { MATCH (a)-[:HAS_VERDICT]->(v)
                 RETURN {judge: coalesce(v.judge, ''), correct: v.correct, score: v.score, why: coalesce(v.why, ''), by_hand: coalesce(v.by_hand, false)}
                 ORDER BY v.by_hand, v.judge, v.scale } AS verdicts
