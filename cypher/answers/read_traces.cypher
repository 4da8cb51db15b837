// Some answers with everything that was done for them, step by step with the chunks that each saw, and the gold chain hop by hop.
// Steps without SAW saw what the answer RETRIEVED in them. A hop's question is that of its own where it has one, else the question of the first hops.
// params: ids: LIST<STRING>
// returns: answer: MAP, run: MAP, question: MAP, steps: LIST<MAP>, facts: LIST<MAP>, evidence: LIST<MAP>, hop_questions: LIST<MAP>, prefixes: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (r:Run)-[:GAVE|GAVE_PREFIX]->(a:Answer {id: id})-[:TO]->(q:Question)
OPTIONAL MATCH (q)-[:FOLLOWS]->(p:Path)
RETURN a {.id, .text, .correct, .error, .abstained, .judged_by, .judge_score, .seconds, .input_tokens, .output_tokens, .cost,
          .prompts, .passages_shown, unknown_citations: coalesce(a.unknown_citations, 0), told: coalesce(a.retrieval_told, true), steps_told: coalesce(a.steps_told, true)} AS answer,
       r {.name, .system, .generator, .retriever} AS run,
       q {.id, .text, .kind, .query_type, .hops, .answer, .accepted} AS question,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step)
                 RETURN s {.index, .action, .query, .observation, .retrieves, .top_k, .filters, .thought, .arguments, .fault,
                           .input_tokens, .output_tokens, .seconds,
                           saw: COLLECT { MATCH (s)-[t:SAW]->(c:Chunk)<-[:HAS_CHUNK]-(n:Article)
                                          RETURN {rank: t.rank, score: t.score, chunk: c.id, article: n.id, title: n.title, text: c.text} ORDER BY t.rank, c.id },
                           brought: COLLECT { MATCH (a)-[t:RETRIEVED {step: s.index}]->(c:Chunk)<-[:HAS_CHUNK]-(n:Article)
                                              RETURN {rank: t.rank, score: t.score, chunk: c.id, article: n.id, title: n.title, text: c.text} ORDER BY t.rank, c.id }}
                 ORDER BY s.index } AS steps,
       COLLECT { MATCH (q)-[t:RESTS_ON]->(c:Claim)
                 OPTIONAL MATCH (p)-[h:HOP {index: t.index}]->(c)
                 RETURN {hop: t.index, subject: h.subject, predicate: h.predicate, object: h.object, statement: c.text} ORDER BY t.index, c.id } AS facts,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(c:Chunk)<-[:HAS_CHUNK]-(n:Article)
                 RETURN {hop: b.hop, chunk: c.id, article: n.id, title: n.title} ORDER BY b.hop, c.id } AS evidence,
       COLLECT { MATCH (q)-[b:HAS_HOP_QUESTION]->(x:Question) RETURN {hop: b.hop, text: x.text, answer: x.answer} ORDER BY b.hop } AS hop_questions,
       COLLECT { MATCH (q)-[b:HAS_PREFIX]->(x:Question)
                 RETURN {hop: b.hops, text: x.text, answer: x.answer,
                         correct: COLLECT { MATCH (x)<-[:TO]-(g:Answer)<-[:GAVE_PREFIX]-(r) RETURN g.correct LIMIT 1 }[0]} ORDER BY b.hops } AS prefixes
