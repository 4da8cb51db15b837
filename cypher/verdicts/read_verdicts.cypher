// The verdicts that judges gave on a run's answers, those that needed no judge aside, beside exact match.
// params: run: STRING
// returns: answer: STRING, judge: STRING, scale: STRING, correct: BOOLEAN, exact: BOOLEAN
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE|GAVE_PREFIX]->(a:Answer)-[:HAS_VERDICT]->(v:Verdict {by_hand: false})
WHERE v.prompt <> ''
RETURN a.id AS answer, v.judge AS judge, v.scale AS scale, v.correct AS correct, a.exact_match AS exact
ORDER BY answer, judge, scale
