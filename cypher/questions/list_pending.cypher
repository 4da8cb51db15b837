// The kept questions of a corpus with what a limit is balanced over, and whether a run has answered them;
// with $retry answers that failed don't count.
// params: corpus: STRING, run: STRING, retry: BOOLEAN
// returns: id: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, answered: BOOLEAN
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'})
RETURN q.id AS id, q.kind AS kind, q.hops AS hops, q.bin AS bin,
       EXISTS {
         (q)<-[:TO]-(a:Answer)<-[:GAVE]-(:Run {id: $run}) WHERE NOT $retry OR coalesce(a.error, '') = ''
       } AS answered
ORDER BY id
