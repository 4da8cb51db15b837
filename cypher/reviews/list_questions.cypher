// The questions of some statuses that people are to look at, in the order of their ids, and what this annotator decided.
// params: corpus: STRING, statuses: LIST<STRING>, annotator: STRING
// returns: id: STRING, decision: STRING
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus}) WHERE q.status IN $statuses
OPTIONAL MATCH (q)-[:HAS_REVIEW]->(v:Review {annotator: $annotator} WHERE NOT coalesce(v.adjudicates, false))
RETURN q.id AS id, v.decision AS decision ORDER BY id
