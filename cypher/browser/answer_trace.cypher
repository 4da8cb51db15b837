// One wrong answer, step by step: what the system did, with what query, what came of it, and which hops' evidence the step saw.
// params: none
// returns: run: STRING, question: STRING, expected: STRING, got: STRING, step: INTEGER, action: STRING, query: STRING, top_k: INTEGER, chunks: INTEGER, hops_seen: LIST<INTEGER>, observation: STRING, fault: STRING
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE]->(a:Answer {correct: false})-[:TO]->(q:Question {kind: 'chain', hops: 2})
// Instead of the line above: MATCH (r:Run {name: 'a run'})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {id: 'an id from kg questions list'})
WITH r, a, q ORDER BY COUNT { (a)-[:TOOK]->() } DESC, a.id LIMIT 1
MATCH (a)-[:TOOK]->(s:Step)
RETURN r.name AS run, q.text AS question, q.answer AS expected, a.text AS got, s.index AS step, s.action AS action, s.query AS query,
       s.top_k AS top_k, COUNT { (s)-[:SAW]->(:Chunk) } AS chunks,
       COLLECT { MATCH (s)-[:SAW]->(:Chunk)<-[b:SUPPORTED_BY]-(q) RETURN DISTINCT b.hop AS hop ORDER BY hop } AS hops_seen,
       s.observation AS observation, s.fault AS fault
ORDER BY step
