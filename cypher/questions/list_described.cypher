// The questions of a corpus that were made or imported, those of single hops and of first hops aside: each kept one with its text and how many pieces of evidence it has, the others only counted by kind and, where it is as short as a yes, by answer.
// params: corpus: STRING
// returns: kind: STRING, query_type: STRING, kept: BOOLEAN, text: STRING, answer: STRING, pieces: INTEGER, questions: INTEGER
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus}) WHERE NOT q.kind IN ['prefix', 'atomic']
WITH q, q.status = 'kept' AS kept, coalesce(q.answer, '') AS answer
RETURN q.kind AS kind, coalesce(q.query_type, '') AS query_type, kept, CASE WHEN kept THEN q.text ELSE '' END AS text,
       CASE WHEN kept OR size(answer) < 10 THEN answer ELSE '' END AS answer,
       CASE WHEN kept THEN COUNT { MATCH (q)-[s:SUPPORTED_BY]->(:Chunk) RETURN DISTINCT s.hop } + coalesce(q.unmatched, 0) ELSE 0 END AS pieces,
       count(*) AS questions
