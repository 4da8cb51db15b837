// Write verdicts on answers; one on the same answer by the same judge on the same scale takes the place of the old one.
// params: corpus: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
UNWIND $rows AS row
MATCH (a:Answer {id: row.answer})
MERGE (v:Verdict {id: row.verdict.id})
SET v = row.verdict, v.corpus = $corpus
MERGE (a)-[:HAS_VERDICT]->(v)
