// Write a run's answers with the chunks that were retrieved, in their ranks, and the steps that were taken, with the chunks that each saw; those to prefix questions are apart from the others.
// params: corpus: STRING, run: STRING, rows: LIST<MAP>
// returns: none
// mode: write
CYPHER 25
MATCH (r:Run {id: $run})
UNWIND $rows AS row
MATCH (q:Question {id: row.question})
MERGE (a:Answer {id: row.answer.id})
SET a += row.answer, a.corpus = $corpus
FOREACH (run IN CASE q.kind WHEN 'prefix' THEN [] ELSE [r] END | MERGE (run)-[:GAVE]->(a))
FOREACH (run IN CASE q.kind WHEN 'prefix' THEN [r] ELSE [] END | MERGE (run)-[:GAVE_PREFIX]->(a))
MERGE (a)-[:TO]->(q)
CALL (a, row) {
  UNWIND row.steps AS taken
  MERGE (s:Step {id: taken.step.id})
  SET s += taken.step, s.corpus = $corpus
  MERGE (a)-[:TOOK]->(s)
  WITH s, taken
  UNWIND taken.seen AS hit
  MATCH (c:Chunk {id: hit.chunk})
  MERGE (s)-[t:SAW]->(c)
  SET t.rank = hit.rank, t.score = hit.score
}
CALL (a, row) {
  UNWIND row.retrieved AS hit
  MATCH (c:Chunk {id: hit.chunk})
  MERGE (a)-[t:RETRIEVED {rank: hit.rank}]->(c)
  SET t.score = hit.score, t.step = hit.step
}
