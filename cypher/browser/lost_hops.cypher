// Where wrong answers went wrong first: at the first hop without retrieved evidence, in reasoning over evidence that was there, or with an error.
// params: none
// returns: run: STRING, hops: INTEGER, lost: STRING, answers: INTEGER, share: FLOAT
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE]->(a:Answer)-[:TO]->(q:Question {kind: 'chain', status: 'kept'}) WHERE a.broken_by IS NOT NULL
WITH r, q.hops AS hops, CASE a.broken_by WHEN 'retrieval' THEN 'hop ' + a.first_lost ELSE a.broken_by END AS lost
WITH r, hops, collect(lost) AS found
UNWIND found AS lost
WITH r, hops, lost, count(*) AS answers, size(found) AS wrong
RETURN r.name AS run, hops, lost, answers, round(1.0 * answers / wrong, 2) AS share ORDER BY run, hops, lost
