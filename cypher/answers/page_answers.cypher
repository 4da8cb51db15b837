// A run's answers by the id of their question, those after a place; null and an empty text stand for any.
// params: run: STRING, correct: BOOLEAN, failed: BOOLEAN, hops: LIST<INTEGER>, bins: LIST<INTEGER>, broken_by: STRING, after: LIST<ANY>, limit: INTEGER
// returns: id: STRING, question: STRING, question_text: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, gold: STRING, text: STRING, correct: BOOLEAN, abstained: BOOLEAN, error: STRING, broken_by: STRING, first_lost: INTEGER, seconds: FLOAT
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
WHERE ($after = [] OR q.id > $after[0]) AND ($correct IS NULL OR coalesce(a.correct, false) = $correct)
  AND ($failed IS NULL OR (coalesce(a.error, '') <> '') = $failed) AND ($hops = [] OR q.hops IN $hops)
  AND ($bins = [] OR q.bin IN $bins) AND ($broken_by = '' OR a.broken_by = $broken_by)
RETURN a.id AS id, q.id AS question, coalesce(q.text, '') AS question_text, q.kind AS kind, coalesce(q.hops, 0) AS hops, q.bin AS bin,
       coalesce(q.answer, '') AS gold, coalesce(a.text, '') AS text, coalesce(a.correct, false) AS correct,
       coalesce(a.abstained, false) AS abstained, coalesce(a.error, '') AS error, coalesce(a.broken_by, '') AS broken_by,
       a.first_lost AS first_lost, a.seconds AS seconds
ORDER BY question LIMIT $limit
