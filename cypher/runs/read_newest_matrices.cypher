// Of each corpus the newest run that ended and has a difficulty matrix, with all cells and totals of it; a total has no hops, no bin or neither.
// params: none
// returns: corpus: STRING, run: STRING, judge: STRING, cells: LIST<MAP>
// mode: read
CYPHER 25
MATCH (c:Corpus)
CALL (c) {
  MATCH (r:Run {corpus: c.name})
  WHERE r.finished_at IS NOT NULL AND EXISTS { (r)-[:HAS_CELL]->(:Cell) }
  RETURN r ORDER BY r.started_at DESC, r.name LIMIT 1
}
RETURN c.name AS corpus, r.name AS run, coalesce(r.judge, 'exact match') AS judge,
       COLLECT { MATCH (r)-[:HAS_CELL]->(x:Cell)
                 RETURN {hops: x.hops, bin: x.bin, n: x.n, errors: x.errors, error_rate: x.error_rate,
                         low: coalesce(x.clustered_low, x.ci_low), high: coalesce(x.clustered_high, x.ci_high)} } AS cells
ORDER BY corpus
