// Every question of a corpus that was made or imported, with what became of it and how many pieces of evidence it has; questions of single hops and of first hops aside.
// params: corpus: STRING
// returns: kind: STRING, query_type: STRING, status: STRING, text: STRING, answer: STRING, pieces: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus}) WHERE NOT q.kind IN ['prefix', 'atomic']
RETURN q.kind AS kind, coalesce(q.query_type, '') AS query_type, q.status AS status, q.text AS text, coalesce(q.answer, '') AS answer,
       COUNT { MATCH (q)-[s:SUPPORTED_BY]->(:Chunk) RETURN DISTINCT s.hop } + coalesce(q.unmatched, 0) AS pieces
ORDER BY q.id
