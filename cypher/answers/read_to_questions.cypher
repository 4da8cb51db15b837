// What a run gave for some questions, beside what is right, with how many steps it took.
// params: run: STRING, ids: LIST<STRING>
// returns: id: STRING, answer_id: STRING, query_type: STRING, question: STRING, gold: STRING, text: STRING, correct: BOOLEAN, error: STRING, seconds: FLOAT, tokens: INTEGER, cost: FLOAT, steps: INTEGER
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
WHERE q.id IN $ids
RETURN q.id AS id, a.id AS answer_id, q.query_type AS query_type, q.text AS question, coalesce(q.answer, '') AS gold, coalesce(a.text, '') AS text,
       coalesce(a.correct, false) AS correct, coalesce(a.error, '') AS error, coalesce(a.seconds, 0.0) AS seconds,
       coalesce(a.input_tokens, 0) + coalesce(a.output_tokens, 0) AS tokens, a.cost AS cost,
       COUNT { (a)-[:TOOK]->(:Step) } AS steps
ORDER BY query_type, id
