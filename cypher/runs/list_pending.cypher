// The kept questions of a corpus with what a limit is balanced over, and whether a run has answered them.
// params: corpus: STRING, run: STRING
// returns: id: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, answered: BOOLEAN
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'})
RETURN q.id AS id, q.kind AS kind, q.hops AS hops, q.bin AS bin,
       EXISTS { (q)<-[:TO]-(:Answer)<-[:GAVE]-(:Run {id: $run}) } AS answered
ORDER BY id
