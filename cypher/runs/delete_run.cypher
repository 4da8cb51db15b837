// Delete a run with its answers, steps, verdicts, cells and findings, and the findings of other runs about it, a bounded batch a transaction; the run itself is in the last one.
// params: id: STRING
// returns: none
// mode: write alone
CYPHER 25
MATCH (r:Run {id: $id})
OPTIONAL MATCH (r)-[:GAVE|GAVE_PREFIX|HAS_CELL|HAS_FINDING]->(n)
WITH r, collect(n) + COLLECT { MATCH (f:Finding {corpus: r.corpus, other_run: r.name}) RETURN f } + COLLECT { MATCH (r)-[:GAVE|GAVE_PREFIX]->(:Answer)-[:HAS_VERDICT]->(v:Verdict) RETURN v }
     + COLLECT { MATCH (r)-[:GAVE|GAVE_PREFIX]->(:Answer)-[:TOOK]->(s:Step) RETURN s } + [r] AS doomed
UNWIND doomed AS n
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
