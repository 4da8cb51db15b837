// The answers of a run with what a judge is shown of each, and what a verdict of his was given on, if there is one; prompt is empty where it took no call; settled is what counts now.
// params: run: STRING, judge: STRING, scale: STRING
// returns: id: STRING, text: STRING, failed: BOOLEAN, abstained: BOOLEAN, exact: BOOLEAN, question: STRING, key: STRING,
//   accepted: LIST<STRING>, kind: STRING, hops: INTEGER, query_type: STRING, settled: BOOLEAN, judged: STRING, prompt: STRING, right: BOOLEAN
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE|GAVE_PREFIX]->(a:Answer)-[:TO]->(q:Question)
OPTIONAL MATCH (a)-[:HAS_VERDICT]->(v:Verdict {judge: $judge, scale: $scale, by_hand: false})
RETURN a.id AS id, a.text AS text, coalesce(a.error, '') <> '' AS failed, a.abstained AS abstained, a.exact_match AS exact,
       q.text AS question, q.answer AS key, coalesce(q.accepted, []) AS accepted, q.kind AS kind,
       coalesce(q.hops, 0) AS hops, q.query_type AS query_type, coalesce(a.correct, false) AS settled,
       v.given_on AS judged, coalesce(v.prompt, '') AS prompt, v.correct AS right
ORDER BY id
