// Note whose verdicts the answers of a run follow, and on which scale; a rule (exact match, answer match) has none.
// params: run: STRING, judge: STRING, scale: STRING
// returns: none
// mode: write
CYPHER 25
MATCH (r:Run {id: $run}) SET r.judge = $judge, r.judge_scale = $scale
