// One wrong answer beside the gold chain, as a picture: steps with the chunks that they saw, hops with the chunks that prove them. Where both meet, the step saw the evidence.
// params: none
// returns: part: PATH
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE]->(a:Answer {correct: false})-[:TO]->(q:Question {kind: 'chain', hops: 2})
// Instead of the line above: MATCH (r:Run {name: 'a run'})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {id: 'an id from kg questions list'})
WITH r, a, q ORDER BY COUNT { (a)-[:TOOK]->() } DESC, a.id LIMIT 1
CALL (r, a, q) {
  MATCH part = (r)-[:GAVE]->(a)-[:TO]->(q) RETURN part
  UNION MATCH part = (a)-[:TOOK]->(:Step) RETURN part
  UNION MATCH part = (a)-[:TOOK]->(:Step)-[saw:SAW]->(c:Chunk) WHERE saw.rank <= 3 OR EXISTS { (q)-[:SUPPORTED_BY]->(c) } RETURN part
  UNION MATCH part = (q)-[:RESTS_ON]->(:Claim)<-[:HAS_CLAIM]-(:Chunk)<-[:SUPPORTED_BY]-(q) RETURN part
}
RETURN part
