// The chain questions of each run of a corpus that has a difficulty matrix: how many were answered, how many wrongly, and the interval of the error rate.
// params: corpus: STRING
// returns: run: STRING, n: INTEGER, errors: INTEGER, error_rate: FLOAT, low: FLOAT, high: FLOAT
// mode: read
CYPHER 25
MATCH (r:Run {corpus: $corpus})-[:HAS_CELL]->(c:Cell)
WHERE c.hops IS NULL AND c.bin IS NULL
RETURN r.name AS run, c.n AS n, c.errors AS errors, c.error_rate AS error_rate,
       coalesce(c.clustered_low, c.ci_low) AS low, coalesce(c.clustered_high, c.ci_high) AS high
ORDER BY run
