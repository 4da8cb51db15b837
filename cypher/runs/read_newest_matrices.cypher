// Of each corpus, or of the one that is named, the newest run that ended, has a difficulty matrix and answered at least a share of `whole` of the chain questions that the
// fullest answered, with all cells and totals of it; a total has no hops, no bin or neither.
// params: corpus: STRING, whole: FLOAT
// returns: corpus: STRING, run: STRING, judge: STRING, cells: LIST<MAP>
// mode: read
CYPHER 25
MATCH (c:Corpus) WHERE $corpus = '' OR c.name = $corpus
CALL (c) {
  MATCH (r:Run {corpus: c.name})-[:HAS_CELL]->(t:Cell)
  WHERE r.finished_at IS NOT NULL AND t.hops IS NULL AND t.bin IS NULL
  WITH collect({run: r, n: t.n}) AS all, max(t.n) AS most
  UNWIND [one IN all WHERE one.n >= $whole * most | one.run] AS r
  RETURN r ORDER BY r.started_at DESC, r.name LIMIT 1
}
RETURN c.name AS corpus, r.name AS run, coalesce(r.judge, 'exact match') AS judge,
       COLLECT { MATCH (r)-[:HAS_CELL]->(x:Cell)
                 RETURN {hops: x.hops, bin: x.bin, n: x.n, errors: x.errors, error_rate: x.error_rate,
                         low: coalesce(x.clustered_low, x.ci_low), high: coalesce(x.clustered_high, x.ci_high)} } AS cells
ORDER BY corpus
