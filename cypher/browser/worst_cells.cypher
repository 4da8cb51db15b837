// The cells of the difficulty matrix in which a run fails most, with their 95 % interval.
// params: none
// returns: run: STRING, hops: INTEGER, distance: INTEGER, questions: INTEGER, error_rate: FLOAT, low: FLOAT, high: FLOAT
// mode: read
CYPHER 25
MATCH (r:Run)-[:HAS_CELL]->(c:Cell) WHERE c.n > 0 AND c.hops IS NOT NULL AND c.bin IS NOT NULL
RETURN r.name AS run, c.hops AS hops, c.bin AS distance, c.n AS questions, round(c.error_rate, 2) AS error_rate,
       round(coalesce(c.clustered_low, c.ci_low), 2) AS low, round(coalesce(c.clustered_high, c.ci_high), 2) AS high
ORDER BY error_rate DESC, questions DESC, run, hops, distance LIMIT 20
