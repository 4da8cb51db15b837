// Some answers with all that an outside system may tell of them, in the names of its file: what was retrieved, and the steps with what each saw.
// params: ids: LIST<STRING>
// returns: question: STRING, answer: MAP, retrieved: LIST<MAP>, steps: LIST<MAP>, seen: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Answer {id: id})-[:TO]->(q:Question)
RETURN q.id AS question,
       a {.text, .error, .confidence, .input_tokens, .output_tokens, .cost, .seconds, unaligned: coalesce(a.unaligned_texts, []),
          told: coalesce(a.retrieval_told, true), steps_told: coalesce(a.steps_told, true)} AS answer,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c:Chunk)<-[:HAS_CHUNK]-(x:Article)
                 RETURN {chunk: c.id, title: x.title, text: c.text, score: t.score, step: t.step} ORDER BY t.rank, c.id } AS retrieved,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step)
                 RETURN s {.action, .query, .observation, .thought, .top_k, .fault, .retrieves, .seconds, .input_tokens, .output_tokens} AS step
                 ORDER BY s.index } AS steps,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step)-[t:SAW]->(c:Chunk)<-[:HAS_CHUNK]-(x:Article)
                 RETURN {chunk: c.id, title: x.title, text: c.text, score: t.score, step: s.index} ORDER BY s.index, t.rank, c.id } AS seen
