// The answers of a run that a person can label: those to its questions that did not fail, with what they are drawn by.
// params: run: STRING
// returns: id: STRING, question: STRING, key: STRING, accepted: LIST<STRING>, text: STRING, kind: STRING, hops: INTEGER, right: BOOLEAN, about: STRING, abstained: BOOLEAN
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question) WHERE coalesce(a.error, '') = ''
RETURN a.id AS id, q.text AS question, q.answer AS key, coalesce(q.accepted, []) AS accepted, a.text AS text, q.kind AS kind,
       coalesce(q.hops, 0) AS hops, a.correct AS right, q.id AS about, coalesce(a.abstained, false) AS abstained
ORDER BY id
