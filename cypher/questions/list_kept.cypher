// Every kept question of a corpus, in the order of their ids.
// params: corpus: STRING
// returns: id: STRING, given_id: STRING, text: STRING, answer: STRING, kind: STRING, hops: INTEGER, bin: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'})
RETURN q.id AS id, coalesce(q.given_id, '') AS given_id, q.text AS text, q.answer AS answer, q.kind AS kind,
       coalesce(q.hops, 0) AS hops, q.bin AS bin
ORDER BY id
