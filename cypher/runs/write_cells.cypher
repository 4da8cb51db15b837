// Write the cells of a run's difficulty matrix; a total has no hops, no bin or neither.
// params: corpus: STRING, run: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
MATCH (r:Run {id: $run})
UNWIND $rows AS row
MERGE (c:Cell {id: row.id})
SET c += row, c.corpus = $corpus
MERGE (r)-[:HAS_CELL]->(c)
