// Write a run's answers with the chunks that were retrieved, in their ranks.
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
WITH a, row
UNWIND row.retrieved AS hit
MATCH (c:Chunk {id: hit.chunk})
MERGE (a)-[t:RETRIEVED {rank: hit.rank}]->(c)
SET t.score = hit.score
