// All that annotators decided in a corpus, with the status of each question and the filter that rejected it.
// params: corpus: STRING
// returns: question: STRING, status: STRING, rejected_by: STRING, annotator: STRING, decision: STRING, reason: STRING,
//   text: STRING, at: ZONED DATETIME, adjudicates: BOOLEAN
// mode: read
CYPHER 25
MATCH (v:Review {corpus: $corpus})<-[:HAS_REVIEW]-(q:Question)
RETURN q.id AS question, q.status AS status, q.rejected_by AS rejected_by, v.annotator AS annotator, v.decision AS decision,
       v.reason AS reason, v.text AS text, v.at AS at, coalesce(v.adjudicates, false) AS adjudicates
ORDER BY at, question, annotator
