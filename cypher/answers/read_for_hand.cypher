// One answer with its question, its run, and the verdict by hand on it, if there is one.
// params: id: STRING
// returns: corpus: STRING, run: STRING, question: STRING, key: STRING, text: STRING, error: STRING, correct: BOOLEAN,
//   judged_by: STRING, hand: STRING, sampled: BOOLEAN
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE|GAVE_PREFIX]->(a:Answer {id: $id})-[:TO]->(q:Question)
OPTIONAL MATCH (a)-[:HAS_VERDICT]->(v:Verdict {by_hand: true})
RETURN r.corpus AS corpus, r.name AS run, q.text AS question, q.answer AS key, a.text AS text,
       coalesce(a.error, '') AS error, a.correct AS correct, coalesce(a.judged_by, 'exact match') AS judged_by, v.id AS hand, coalesce(v.sampled, false) AS sampled
