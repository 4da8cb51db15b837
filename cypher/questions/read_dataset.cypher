// What the version of a corpus' questions depends on: every kept one, in the order of their ids.
// params: corpus: STRING
// returns: id: STRING, text: STRING, answer: STRING, bin: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'})
RETURN q.id AS id, q.text AS text, q.answer AS answer, q.bin AS bin ORDER BY id
