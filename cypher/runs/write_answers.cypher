// Write a run's answers with the chunks that were retrieved, in their ranks, and the steps that were taken.
// params: corpus: STRING, run: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
MATCH (r:Run {id: $run})
UNWIND $rows AS row
MATCH (q:Question {id: row.question})
MERGE (a:Answer {id: row.answer.id})
SET a += row.answer, a.corpus = $corpus
MERGE (r)-[:GAVE]->(a)
MERGE (a)-[:TO]->(q)
CALL (a, row) {
  UNWIND row.steps AS step
  MERGE (s:Step {id: step.id})
  SET s += step, s.corpus = $corpus
  MERGE (a)-[:TOOK]->(s)
}
CALL (a, row) {
  UNWIND row.retrieved AS hit
  MATCH (c:Chunk {id: hit.chunk})
  MERGE (a)-[t:RETRIEVED {rank: hit.rank}]->(c)
  SET t.score = hit.score, t.step = hit.step
}
