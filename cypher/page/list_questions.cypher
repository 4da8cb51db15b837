// Some questions with what up to two runs answered, chains first, by depth and difficulty; an empty list or text stands for any.
// params: corpus: STRING, status: STRING, hops: LIST<INTEGER>, bins: LIST<INTEGER>, kinds: LIST<STRING>, text: STRING, run: STRING, other: STRING, outcome: STRING, skip: INTEGER, limit: INTEGER
// returns: id: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, difficulty: FLOAT, text: STRING, answer: STRING, error_rate: FLOAT, rejected_by: STRING, run_right: BOOLEAN, other_right: BOOLEAN, total: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: $status})
WHERE (q.hops IN $hops OR $hops = []) AND (q.bin IN $bins OR $bins = []) AND (q.kind IN $kinds OR $kinds = [])
  AND ($text = '' OR toLower(q.text) CONTAINS toLower($text) OR toLower(q.answer) CONTAINS toLower($text))
WITH q, CASE WHEN $run <> '' THEN COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(:Run {id: $run}) RETURN a.correct }[0] END AS run_right,
     CASE WHEN $other <> '' THEN COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(:Run {id: $other}) RETURN a.correct }[0] END AS other_right
WHERE $outcome = '' OR ($outcome = 'right' AND run_right) OR ($outcome = 'wrong' AND NOT run_right)
  OR ($outcome = 'differs' AND run_right <> other_right) OR ($outcome = 'answered' AND run_right IS NOT NULL)
WITH collect({q: q, run_right: run_right, other_right: other_right}) AS found
UNWIND found AS one
WITH size(found) AS total, one.q AS q, one.run_right AS run_right, one.other_right AS other_right
RETURN q.id AS id, q.kind AS kind, q.hops AS hops, q.bin AS bin, q.difficulty_min AS difficulty, q.text AS text,
       q.answer AS answer, q.error_rate AS error_rate, q.rejected_by AS rejected_by, run_right, other_right, total
ORDER BY kind <> 'chain', hops, kind, difficulty, id SKIP $skip LIMIT $limit
