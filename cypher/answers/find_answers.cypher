// The answers that an id means: that answer, or all answers to the question of this id; run '' stands for any run. Prefix questions count.
// params: corpus: STRING, id: STRING, run: STRING
// returns: answer: STRING, run: STRING, question: STRING
// mode: read
CYPHER 25
CALL () {
  MATCH (a:Answer {id: $id, corpus: $corpus}) RETURN a
  UNION
  MATCH (:Question {id: $id, corpus: $corpus})<-[:TO]-(a:Answer) RETURN a
}
MATCH (r:Run)-[:GAVE|GAVE_PREFIX]->(a)-[:TO]->(q:Question)
WHERE $run = '' OR r.name = $run
RETURN a.id AS answer, r.name AS run, q.id AS question ORDER BY run
