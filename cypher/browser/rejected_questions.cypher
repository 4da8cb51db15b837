// Questions that were rejected before anybody was asked: at which filter, how many, and one of them with the reason.
// params: none
// returns: corpus: STRING, filter: STRING, questions: INTEGER, example: STRING, its_answer: STRING, reason: STRING
// mode: read
CYPHER 25
MATCH (q:Question {status: 'rejected'})
WITH q ORDER BY q.id
WITH q.corpus AS corpus, q.rejected_by AS filter, count(*) AS questions, collect(q)[0] AS one
RETURN corpus, filter, questions, one.text AS example, one.answer AS its_answer, one.rejected_why AS reason
ORDER BY corpus, questions DESC, filter
