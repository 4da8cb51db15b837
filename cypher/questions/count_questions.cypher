// How many questions there are at each depth, by what became of them.
// params: corpus: STRING
// returns: hops: INTEGER, status: STRING, rejected_by: STRING, questions: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus})
RETURN q.hops AS hops, q.status AS status, q.rejected_by AS rejected_by, count(*) AS questions
ORDER BY hops, status, rejected_by
