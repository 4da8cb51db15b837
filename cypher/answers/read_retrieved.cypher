// A run's answers to questions that are kept, with the evidence of each question and what was retrieved for it, by chunk and article.
// params: run: STRING
// returns: id: STRING, given_id: STRING, question: STRING, type: STRING, gold_answer: STRING, answer: STRING, error: STRING,
//   unmatched: INTEGER, evidence: LIST<MAP>, retrieved: LIST<MAP>
// mode: read
CYPHER 25
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {status: 'kept'})
RETURN q.id AS id, coalesce(q.given_id, '') AS given_id, q.text AS question, coalesce(q.query_type, '') AS type, q.answer AS gold_answer,
       coalesce(a.text, '') AS answer, coalesce(a.error, '') AS error, coalesce(q.unmatched, 0) AS unmatched,
       COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c:Chunk)<-[:HAS_CHUNK]-(x:Article)
                 RETURN {hop: s.hop, chunk: c.id, article: x.id, given_id: coalesce(x.given_id, '')} ORDER BY s.hop, c.id } AS evidence,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c:Chunk)<-[:HAS_CHUNK]-(x:Article)
                 RETURN {rank: t.rank, chunk: c.id, article: x.id, given_id: coalesce(x.given_id, '')} ORDER BY t.rank, c.id } AS retrieved
ORDER BY id
