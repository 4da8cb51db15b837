// One wrong answer beside the gold chain: what each hop states, in which step its evidence was seen first and how far up, and whether the question of the first hops up to here was answered right (kg run start SYSTEM --prefixes).
// params: none
// returns: run: STRING, question: STRING, got: STRING, hop: INTEGER, states: STRING, first_step: INTEGER, action: STRING, query: STRING, rank: INTEGER, prefix_right: BOOLEAN
// mode: read
CYPHER 25
MATCH (r:Run)-[:GAVE]->(a:Answer {correct: false})-[:TO]->(q:Question {kind: 'chain', hops: 2}) WHERE EXISTS { (q)-[:RESTS_ON]->(:Claim) }
// Instead of the line above: MATCH (r:Run {name: 'a run'})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {id: 'an id from kg questions list'})
WITH r, a, q ORDER BY COUNT { (a)-[:TOOK]->() } DESC, a.id LIMIT 1
MATCH (q)-[f:RESTS_ON]->(c:Claim)
CALL (a, q, f) {
  OPTIONAL MATCH (a)-[:TOOK]->(s:Step)-[saw:SAW]->(:Chunk)<-[:SUPPORTED_BY {hop: f.index}]-(q)
  RETURN s, saw ORDER BY s.index, saw.rank LIMIT 1
}
RETURN r.name AS run, q.text AS question, a.text AS got, f.index AS hop, c.text AS states, s.index AS first_step, s.action AS action,
       s.query AS query, saw.rank AS rank,
       COLLECT { MATCH (q)-[:HAS_PREFIX {hops: f.index}]->(:Question)<-[:TO]-(x:Answer)<-[:GAVE_PREFIX]-(r) RETURN x.correct }[0] AS prefix_right
ORDER BY hop
