// The cells and totals of the difficulty matrix of a run, as its last analysis wrote them; in one list, which takes the driver a fraction of the time of as many records.
// params: run: STRING
// returns: cells: LIST<MAP>
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:HAS_CELL]->(c:Cell)
WITH c ORDER BY coalesce(c.hops, 99), coalesce(c.bin, 99)
RETURN collect(c {.hops, .bin, .n, .errors, .error_rate, low: c.ci_low, high: c.ci_high, .clusters, .clustered_low,
                  .clustered_high, .small}) AS cells
