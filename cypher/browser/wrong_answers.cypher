// Questions that were answered wrongly, with what was expected and what came.
// params: none
// returns: run: STRING, hops: INTEGER, question: STRING, expected: STRING, got: STRING
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE]->(a:Answer {correct: false})-[:TO]->(q:Question)
RETURN r.name AS run, q.hops AS hops, q.text AS question, q.answer AS expected, a.text AS got
ORDER BY hops, q.id, run LIMIT 25
