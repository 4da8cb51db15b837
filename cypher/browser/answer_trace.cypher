// One wrong answer, step by step: what the system did, with what query, and what came of it.
// params: none
// returns: run: STRING, question: STRING, expected: STRING, got: STRING, step: INTEGER, action: STRING, query: STRING, observation: STRING
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE]->(a:Answer {correct: false})-[:TO]->(q:Question {kind: 'chain', hops: 2})
// Instead of the line above: MATCH (r:Run {name: 'a run'})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {id: 'an id from kg questions list'})
WITH r, a, q ORDER BY COUNT { (a)-[:TOOK]->() } DESC, a.id LIMIT 1
MATCH (a)-[:TOOK]->(s:Step)
RETURN r.name AS run, q.text AS question, q.answer AS expected, a.text AS got, s.index AS step, s.action AS action, s.query AS query,
       s.observation AS observation
ORDER BY step
