// How often each pattern of outcomes occurs among some questions: "right", "wrong" or "" for no answer, of each run in the order of `runs`; an empty list or text stands for any.
// params: corpus: STRING, status: STRING, hops: LIST<INTEGER>, bins: LIST<INTEGER>, kinds: LIST<STRING>, text: STRING, runs: LIST<STRING>
// returns: outcomes: LIST<STRING>, questions: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: $status})
WHERE (q.hops IN $hops OR $hops = []) AND (q.bin IN $bins OR $bins = []) AND (q.kind IN $kinds OR $kinds = [])
  AND ($text = '' OR toLower(q.text) CONTAINS toLower($text) OR toLower(q.answer) CONTAINS toLower($text))
WITH q, COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(r:Run) WHERE r.id IN $runs
                  RETURN {run: r.id, outcome: CASE WHEN a.correct THEN 'right' WHEN NOT a.correct THEN 'wrong' ELSE '' END} } AS given
RETURN [run IN $runs | coalesce([one IN given WHERE one.run = run | one.outcome][0], '')] AS outcomes, count(q) AS questions
ORDER BY outcomes
