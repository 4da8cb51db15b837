// Runs compared on the same questions, as the last report with both of them had it: the second's accuracy less the first's. `p` is adjusted
// for all comparisons of that report, `p_naive` ignores that questions share evidence. Empty before kg run report with two runs.
// params: none
// returns: corpus: STRING, first: STRING, second: STRING, scope: STRING, questions: INTEGER, difference: FLOAT, low: FLOAT, high: FLOAT, p: FLOAT, p_naive: FLOAT
// mode: read
CYPHER 25
MATCH (r:Run)-[:HAS_FINDING]->(f:Finding {measure: 'difference in accuracy'})
RETURN f.corpus AS corpus, r.name AS first, f.other_run AS second, f.scope AS scope, f.n AS questions, round(f.value, 3) AS difference,
       round(f.low, 3) AS low, round(f.high, 3) AS high, round(f.p, 4) AS p, round(f.p_naive, 4) AS p_naive
ORDER BY corpus, first, second, scope
