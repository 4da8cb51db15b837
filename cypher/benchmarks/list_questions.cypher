// The kept questions of a corpus that have an answer in it.
// params: corpus: STRING
// returns: id: STRING, text: STRING, kind: STRING, given_id: STRING
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'}) WHERE NOT q.kind IN ['null', 'prefix']
RETURN q.id AS id, q.text AS text, q.kind AS kind, coalesce(q.given_id, '') AS given_id ORDER BY id
