// The kept questions of a corpus with what a draw of them is balanced over.
// params: corpus: STRING
// returns: id: STRING, kind: STRING, hops: INTEGER, bin: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'})
RETURN q.id AS id, q.kind AS kind, coalesce(q.hops, 0) AS hops, q.bin AS bin ORDER BY id
