// How each answer of a run ended, as the thought of its last step tells it; only answers whose last step has one.
// params: run: STRING
// returns: question: STRING, thought: STRING
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {status: 'kept'})
WITH q, COLLECT { MATCH (a)-[:TOOK]->(s:Step) RETURN coalesce(s.thought, '') ORDER BY s.index DESC LIMIT 1 }[0] AS thought
WHERE thought <> ''
RETURN q.id AS question, thought
ORDER BY question
