// What a run answered to kept questions, beside the gold answers, with verdicts, where the chain broke, what it took, and the chunks retrieved, best first.
// params: run: STRING
// returns: question: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, text: STRING, gold: STRING, given: STRING, correct: BOOLEAN,
//   f1: FLOAT, abstained: BOOLEAN, error: STRING, judged_by: STRING, first_lost: INTEGER, broken_by: STRING, seconds: FLOAT,
//   input_tokens: INTEGER, output_tokens: INTEGER, cost: FLOAT, retrieved: LIST<STRING>
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {status: 'kept'})
RETURN q.id AS question, q.kind AS kind, q.hops AS hops, q.bin AS bin, q.text AS text, q.answer AS gold, coalesce(a.text, '') AS given,
       a.correct AS correct, a.f1 AS f1, a.abstained AS abstained, coalesce(a.error, '') AS error,
       coalesce(a.judged_by, 'exact match') AS judged_by, a.first_lost AS first_lost, a.broken_by AS broken_by, a.seconds AS seconds,
       a.input_tokens AS input_tokens, a.output_tokens AS output_tokens, a.cost AS cost,
       COLLECT { MATCH (a)-[r:RETRIEVED]->(k) RETURN k.id ORDER BY r.rank, k.id } AS retrieved
ORDER BY question
