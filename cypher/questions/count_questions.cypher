// How many questions there are of each kind and depth, by what became of them; questions of single hops and of first hops, and imported ones, aside.
// params: corpus: STRING
// returns: kind: STRING, hops: INTEGER, status: STRING, rejected_by: STRING, questions: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus}) WHERE NOT q.kind IN ['prefix', 'atomic', 'imported']
RETURN q.kind AS kind, q.hops AS hops, q.status AS status, q.rejected_by AS rejected_by, count(*) AS questions
ORDER BY kind, hops, status, rejected_by
