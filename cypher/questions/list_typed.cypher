// The kept questions of a corpus with MultiHop-RAG's type of each, in the order of their ids.
// params: corpus: STRING
// returns: id: STRING, query_type: STRING
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'})
WHERE q.query_type IS NOT NULL
RETURN q.id AS id, q.query_type AS query_type
ORDER BY id
