// Write the findings of a run and delete those of an earlier report, but for comparisons with runs that this report leaves out.
// params: corpus: STRING, run: STRING, rows: LIST<MAP>, compared: LIST<STRING>
// returns: none
// mode: write
CYPHER 25
MATCH (r:Run {id: $run})
CALL (r) {
  MATCH (r)-[:HAS_FINDING]->(old:Finding)
  WHERE (old.other_run IS NULL OR old.other_run IN $compared) AND NOT old.id IN [row IN $rows | row.id]
  DETACH DELETE old
}
UNWIND $rows AS row
MERGE (f:Finding {id: row.id})
SET f = row, f.corpus = $corpus
MERGE (r)-[:HAS_FINDING]->(f)
