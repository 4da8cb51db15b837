// The questions of one status as answers from outside may name them: by id, by the id of the set that they come from, or by text.
// params: corpus: STRING, status: STRING
// returns: id: STRING, given_id: STRING, text: STRING
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: $status})
RETURN q.id AS id, coalesce(q.given_id, '') AS given_id, q.text AS text ORDER BY id
