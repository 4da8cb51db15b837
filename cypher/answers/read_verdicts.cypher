// The verdicts that judges gave on a run's answers, those that needed no judge aside, beside exact match and answer match.
// params: run: STRING
// returns: answer: STRING, judge: STRING, scale: STRING, correct: BOOLEAN, exact: BOOLEAN, matches: BOOLEAN
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE|GAVE_PREFIX]->(a:Answer)-[:HAS_VERDICT]->(v:Verdict {by_hand: false})
WHERE v.prompt <> ''
RETURN a.id AS answer, v.judge AS judge, v.scale AS scale, v.correct AS correct, a.exact_match AS exact, coalesce(a.answer_match, a.exact_match) AS matches
ORDER BY answer, judge, scale
