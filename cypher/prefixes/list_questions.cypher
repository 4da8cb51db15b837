// The prefix questions of a corpus as answers from outside may name them: by id or by text.
// params: corpus: STRING
// returns: id: STRING, given_id: STRING, text: STRING
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'prefix'})
RETURN q.id AS id, coalesce(q.given_id, '') AS given_id, q.text AS text ORDER BY id
