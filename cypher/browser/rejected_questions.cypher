// Questions that were rejected before anybody was asked, by reason, with an example.
// params: none
// returns: corpus: STRING, rejected_by: STRING, questions: INTEGER, example: STRING, its_answer: STRING
// mode: read
CYPHER 25
MATCH (q:Question {status: 'rejected'})
WITH q ORDER BY q.id
RETURN q.corpus AS corpus, q.rejected_by AS rejected_by, count(*) AS questions, collect(q.text)[0] AS example, collect(q.answer)[0] AS its_answer
ORDER BY corpus, questions DESC, rejected_by
