// Some answers of a run with the steps that were taken, what each step saw, the gold chain of the question hop by hop, and what the run
// answered to those questions of its first hops that no filter rejected. Steps without SAW saw what the answer RETRIEVED in them.
// params: run: STRING, ids: LIST<STRING>
// returns: answer: MAP, question: MAP, steps: LIST<MAP>, retrieved: LIST<STRING>, facts: LIST<MAP>, chunks: LIST<MAP>, hop_questions: LIST<MAP>, prefixes: LIST<MAP>, unfit_prefixes: INTEGER
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Answer {id: id})-[:TO]->(q:Question)
OPTIONAL MATCH (q)-[:FOLLOWS]->(p:Path)
RETURN a {.id, .text, .correct, .exact_match, .f1, .judge_score, .judged_by, .abstained, .error, .passages_shown, unknown_citations: coalesce(a.unknown_citations, 0), told: coalesce(a.retrieval_told, true), steps_told: coalesce(a.steps_told, true)} AS answer,
       q {.id, .text, .answer, .accepted, .query_type, .hops, .bin, .kind} AS question,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step)
                 RETURN s {.index, .action, .query, .observation, .retrieves, .top_k, .filters, .fault, .thought,
                           saw: COLLECT { MATCH (s)-[t:SAW]->(c) RETURN c.id ORDER BY t.rank },
                           brought: COLLECT { MATCH (a)-[t:RETRIEVED {step: s.index}]->(c) RETURN c.id ORDER BY t.rank }}
                 ORDER BY s.index } AS steps,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c) RETURN c.id ORDER BY t.rank } AS retrieved,
       COLLECT { MATCH (q)-[t:RESTS_ON]->(c:Claim)
                 OPTIONAL MATCH (p)-[h:HOP {index: t.index}]->(c)
                 OPTIONAL MATCH (e:Entity {id: h.from})
                 OPTIONAL MATCH (f:Entity {id: h.to})
                 RETURN {hop: t.index, sentence: c.sentence, predicate: h.predicate, subject: h.subject, object: h.object, reversed: h.reversed,
                         start: coalesce([e.name] + e.aliases, []), end: coalesce([f.name] + f.aliases, []),
                         subjects: COLLECT { MATCH (c)-[m:MENTIONS {role: 'subject'}]->(x) RETURN DISTINCT x.name ORDER BY x.name },
                         objects: COLLECT { MATCH (c)-[m:MENTIONS {role: 'object'}]->(x) RETURN DISTINCT x.name ORDER BY x.name }}
                 ORDER BY t.index, c.id } AS facts,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(c:Chunk) RETURN {hop: b.hop, chunk: c.id, article: c.article} ORDER BY b.hop, c.id } AS chunks,
       COLLECT { MATCH (q)-[b:HAS_HOP_QUESTION]->(x:Question) RETURN {hop: b.hop, text: x.text, answer: x.answer, accepted: x.accepted, topology: b.topology} ORDER BY b.hop } AS hop_questions,
       COLLECT { MATCH (q)-[b:HAS_PREFIX]->(x:Question)<-[:TO]-(g:Answer)<-[:GAVE_PREFIX]-(:Run {id: $run})
                 WHERE x.rejected_by IS NULL
                 RETURN g {hops: b.hops, .text, .correct, .exact_match, .f1, .judge_score, .abstained, .error} ORDER BY b.hops } AS prefixes,
       COUNT { (q)-[:HAS_PREFIX]->(x:Question) WHERE x.rejected_by IS NOT NULL } AS unfit_prefixes
