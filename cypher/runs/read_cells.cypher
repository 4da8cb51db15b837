// The cells and totals of a run's difficulty matrix; a total has no hops, no bin or neither.
// params: run: STRING
// returns: hops: INTEGER, bin: INTEGER, n: INTEGER, errors: INTEGER, error_rate: FLOAT, low: FLOAT, high: FLOAT
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:HAS_CELL]->(c:Cell)
RETURN c.hops AS hops, c.bin AS bin, c.n AS n, c.errors AS errors, c.error_rate AS error_rate,
       coalesce(c.clustered_low, c.ci_low) AS low, coalesce(c.clustered_high, c.ci_high) AS high
ORDER BY hops, bin
