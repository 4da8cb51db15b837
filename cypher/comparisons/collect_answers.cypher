// What a run answered to some questions, with what people said of those of a sample, the chunks that its generator was shown, and the steps that looked for chunks; null where it doesn't tell what it retrieved.
// params: run: STRING, ids: LIST<STRING>
// returns: question: STRING, text: STRING, error: STRING, abstained: BOOLEAN, cited: LIST<STRING>, told: BOOLEAN, unaligned: INTEGER, input_tokens: INTEGER, output_tokens: INTEGER, seconds: FLOAT, cost: FLOAT, labelled: BOOLEAN, exact: BOOLEAN, shown: LIST<MAP>, searches: LIST<INTEGER>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(:Question {id: id})
RETURN id AS question, coalesce(a.text, '') AS text, coalesce(a.error, '') AS error, coalesce(a.abstained, false) AS abstained,
       coalesce(a.cited, []) AS cited, coalesce(a.retrieval_told, true) AS told, coalesce(a.unaligned, 0) AS unaligned,
       coalesce(a.input_tokens, 0) AS input_tokens, coalesce(a.output_tokens, 0) AS output_tokens,
       toFloat(coalesce(a.seconds, 0)) AS seconds, toFloat(a.cost) AS cost,
       COLLECT { MATCH (a)-[:HAS_VERDICT]->(v:Verdict {by_hand: true}) WHERE v.sampled RETURN v.correct }[0] AS labelled,
       coalesce(a.exact_match, false) AS exact,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c:Chunk) RETURN {chunk: c.id, rank: t.rank, step: coalesce(t.step, 0)} ORDER BY t.rank } AS shown,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step) WHERE s.retrieves RETURN s.index ORDER BY s.index } AS searches
