// One wrong answer as a picture: its question with the evidence, the chunks that were retrieved instead, the steps with what each saw, and the run.
// params: none
// returns: part: PATH
// mode: read
CYPHER 25
MATCH (a:Answer {correct: false})-[:TO]->(q:Question {kind: 'chain', hops: 2})
WITH a, q ORDER BY COUNT { (a)-[:TOOK]->() } DESC, a.id LIMIT 1
CALL (a, q) {
  MATCH part = (:Run)-[:GAVE]->(a)-[:TO]->(q) RETURN part
  UNION MATCH part = (a)-[:TOOK]->(:Step) RETURN part
  UNION MATCH part = (a)-[:TOOK]->(:Step)-[:SAW]->(:Chunk) RETURN part
  UNION MATCH part = (a)-[:RETRIEVED]->(:Chunk) RETURN part
  UNION MATCH part = (q)-[:SUPPORTED_BY]->(:Chunk) RETURN part
}
RETURN part
