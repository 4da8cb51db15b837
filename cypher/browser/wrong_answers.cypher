// Questions that were answered wrongly, with what was expected and what came.
// params: none
// returns: run: STRING, kind: STRING, hops: INTEGER, question: STRING, expected: STRING, got: STRING, broken_by: STRING
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE]->(a:Answer {correct: false})-[:TO]->(q:Question)
RETURN r.name AS run, q.kind AS kind, q.hops AS hops, q.text AS question, q.answer AS expected, a.text AS got, a.broken_by AS broken_by
ORDER BY q.kind <> 'chain', hops, q.id, run LIMIT 25
