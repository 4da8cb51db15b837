// How many questions there are of each kind and depth, by what became of them; questions of first hops aside.
// params: corpus: STRING
// returns: kind: STRING, hops: INTEGER, status: STRING, rejected_by: STRING, questions: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus}) WHERE q.kind <> 'prefix'
RETURN q.kind AS kind, q.hops AS hops, q.status AS status, q.rejected_by AS rejected_by, count(*) AS questions
ORDER BY kind, hops, status, rejected_by
