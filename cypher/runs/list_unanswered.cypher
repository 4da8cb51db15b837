// The kept questions that a run has not answered yet.
// params: corpus: STRING, run: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'})
WHERE NOT EXISTS { (q)<-[:TO]-(:Answer)<-[:GAVE]-(:Run {id: $run}) }
RETURN q.id AS id ORDER BY id
