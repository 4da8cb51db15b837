// The answers of a run, those to prefix questions aside, in the order of their questions, and whether these are kept.
// params: run: STRING
// returns: answer: STRING, question: STRING, kind: STRING, hops: INTEGER, kept: BOOLEAN
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN a.id AS answer, q.id AS question, q.kind AS kind, coalesce(q.hops, 0) AS hops, q.status = 'kept' AS kept
ORDER BY question
