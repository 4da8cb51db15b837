// Some questions with what some runs answered: those that one of `runs` answered first, then chains, by depth and difficulty; an empty list or text stands for any. The outcome and its cause are those of `run`, "differs" is against `other`.
// params: corpus: STRING, status: STRING, hops: LIST<INTEGER>, bins: LIST<INTEGER>, kinds: LIST<STRING>, text: STRING, run: STRING, other: STRING, outcome: STRING, cause: STRING, runs: LIST<STRING>, skip: INTEGER, limit: INTEGER
// returns: id: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, difficulty: FLOAT, text: STRING, answer: STRING, answered: INTEGER, error_rate: FLOAT, rejected_by: STRING, given: LIST<MAP>, total: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: $status})
WHERE (q.hops IN $hops OR $hops = []) AND (q.bin IN $bins OR $bins = []) AND (q.kind IN $kinds OR $kinds = [])
  AND ($text = '' OR toLower(q.text) CONTAINS toLower($text) OR toLower(q.answer) CONTAINS toLower($text))
WITH q, CASE WHEN $outcome <> '' OR $cause <> '' THEN COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(:Run {id: $run}) RETURN a }[0] END AS one,
     CASE WHEN $outcome = 'differs' THEN COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(:Run {id: $other}) RETURN a.correct }[0] END AS other_right
WHERE ($outcome = '' OR ($outcome = 'right' AND one.correct) OR ($outcome = 'wrong' AND NOT one.correct)
  OR ($outcome = 'differs' AND one.correct <> other_right) OR ($outcome = 'answered' AND one.correct IS NOT NULL))
  AND ($cause = '' OR (NOT one.correct AND ($cause = one.broken_by OR ($cause = 'abstained' AND one.abstained))))
WITH collect(q) AS found
UNWIND found AS q
WITH size(found) AS total, q, $runs <> [] AND NOT EXISTS { (q)<-[:TO]-(:Answer)<-[:GAVE]-(r:Run) WHERE r.id IN $runs } AS unanswered
ORDER BY unanswered, q.kind <> 'chain', q.hops, q.kind, q.difficulty_min, q.id SKIP $skip LIMIT $limit
RETURN q.id AS id, q.kind AS kind, q.hops AS hops, q.bin AS bin, q.difficulty_min AS difficulty, q.text AS text,
       q.answer AS answer, q.answers AS answered, q.error_rate AS error_rate, q.rejected_by AS rejected_by,
       COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(r:Run) WHERE r.id IN $runs
                 RETURN {run: r.name, text: a.text, right: a.correct, abstained: a.abstained, error: coalesce(a.error, ''),
                         broken_by: a.broken_by, first_lost: a.first_lost} ORDER BY r.name } AS given, total
ORDER BY unanswered, kind <> 'chain', hops, kind, difficulty, id
