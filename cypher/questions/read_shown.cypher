// One question with its path, the facts that it rests on, its evidence, the questions of its single and of its first hops, and what each run answered, retrieved and did.
// params: corpus: STRING, id: STRING
// returns: question: MAP, path: STRING, entities: LIST<MAP>, hops: LIST<MAP>, evidence: LIST<MAP>, alone: LIST<MAP>, so_far: LIST<MAP>, answers: LIST<MAP>
// mode: read
CYPHER 25
MATCH (q:Question {id: $id, corpus: $corpus})
OPTIONAL MATCH (q)-[:FOLLOWS]->(p:Path)
RETURN q {.id, .text, .answer, .accepted, .kind, .query_type, .hops, .bin, .status, .rejected_by, .rejected_why, .difficulty_min, .error_rate, .answers,
          .spans_place, .crossings_place, .spans_time, .crossings_time, .spans_domain, .crossings_domain, .spans_articles, .crossings_articles, .spans_claims, .crossings_claims, .spans_communities, .crossings_communities} AS question,
       p.id AS path,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e {.id, .name, .type, .error_rate, .answers} ORDER BY v.index } AS entities,
       COLLECT { MATCH (q)-[t:RESTS_ON]->(c:Claim)
                 OPTIONAL MATCH (p)-[h:HOP {index: t.index}]->(c)
                 OPTIONAL MATCH (a:Article {id: c.article})
                 RETURN {index: t.index, link: h.link, subject: h.subject, predicate: h.predicate, object: h.object, attributed_to: coalesce(h.attributed_to, ''), reversed: h.reversed,
                         claim: c.id, statement: c.text, sentence: c.sentence, article: a.id, title: a.title, source: a.source,
                         published: toString(date(a.published_at))}
                 ORDER BY t.index } AS hops,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(k)<-[:HAS_CHUNK]-(a)
                 RETURN {hop: b.hop, similarity: b.similarity, chunk: k.id, text: k.text, article: a.id, title: a.title}
                 ORDER BY b.hop, b.similarity DESC, k.id } AS evidence,
       COLLECT { MATCH (q)-[x:HAS_HOP_QUESTION]->(f) RETURN {hop: x.hop, topology: x.topology, text: f.text, answer: f.answer} ORDER BY x.hop } AS alone,
       COLLECT { MATCH (q)-[x:HAS_PREFIX]->(f) RETURN {hop: x.hops, text: f.text, answer: f.answer} ORDER BY x.hops } AS so_far,
       COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(r:Run)
                 RETURN a {.id, .text, .correct, .error, .abstained, .judged_by, .hops_found, .first_lost, .broken_by, .seconds, .cost, .unaligned, .unaligned_texts, .retrieval_told, run: r.name,
                           tokens: coalesce(a.input_tokens, 0) + coalesce(a.output_tokens, 0),
                           retrieved: COLLECT { MATCH (a)-[t:RETRIEVED]->(k)<-[:HAS_CHUNK]-(x)
                                                RETURN {rank: t.rank, score: t.score, step: t.step, chunk: k.id, text: k.text, article: x.id, title: x.title}
                                                ORDER BY t.rank, k.id },
                           steps: COLLECT { MATCH (a)-[:TOOK]->(s)
                                            RETURN s {.index, .action, .query, .observation, .top_k, .filters, .thought, .fault, .retrieves, .seconds,
                                                      tokens: coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0),
                                                      seen: COLLECT { MATCH (s)-[t:SAW]->(k)<-[:HAS_CHUNK]-(x)
                                                                      RETURN {rank: t.rank, chunk: k.id, article: x.id, title: x.title} ORDER BY t.rank, k.id }}
                                            ORDER BY s.index }}
                 ORDER BY r.name } AS answers
