// One question of a corpus with its path, the facts it rests on, its evidence, and what systems answered.
// params: corpus: STRING, id: STRING
// returns: id: STRING, kind: STRING, hops: INTEGER, bin: INTEGER, difficulty: FLOAT, text: STRING, answer: STRING, status: STRING, rejected_by: STRING, rejected_why: STRING, answers: INTEGER, error_rate: FLOAT, crossings: MAP, spans: MAP, accepted: LIST<STRING>, generator: STRING, path: STRING, entities: LIST<MAP>, facts: LIST<MAP>, evidence: LIST<MAP>, given: LIST<MAP>
// mode: read
CYPHER 25
MATCH (q:Question {id: $id, corpus: $corpus})
OPTIONAL MATCH (q)-[:FOLLOWS]->(p:Path)
RETURN q.id AS id, q.kind AS kind, coalesce(q.hops, 0) AS hops, q.bin AS bin, q.difficulty_min AS difficulty,
       coalesce(q.text, '') AS text, coalesce(q.answer, '') AS answer, q.status AS status,
       coalesce(q.rejected_by, '') AS rejected_by, coalesce(q.rejected_why, '') AS rejected_why,
       coalesce(q.answers, 0) AS answers, q.error_rate AS error_rate,
       {place: q.crossings_place, time: q.crossings_time, domain: q.crossings_domain, articles: q.crossings_articles, claims: q.crossings_claims, communities: q.crossings_communities} AS crossings,
       {place: q.spans_place, time: q.spans_time, domain: q.spans_domain, articles: q.spans_articles, claims: q.spans_claims, communities: q.spans_communities} AS spans,
       coalesce(q.accepted, []) AS accepted, coalesce(q.generator, '') AS generator, coalesce(p.id, '') AS path,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e {.id, .name, .type} ORDER BY v.index } AS entities,
       COLLECT { MATCH (q)-[t:RESTS_ON]->(c:Claim)
                 OPTIONAL MATCH (p)-[h:HOP {index: t.index}]->(c)
                 RETURN {index: t.index, link: coalesce(h.link, ''), subject: coalesce(h.subject, ''),
                         predicate: coalesce(h.predicate, ''), object: coalesce(h.object, ''), attributed_to: coalesce(h.attributed_to, ''), claim: c.id,
                         sentence: c.sentence, article: c.article}
                 ORDER BY t.index, c.id } AS facts,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(k:Chunk)
                 OPTIONAL MATCH (a:Article {id: k.article})
                 RETURN {hop: b.hop, similarity: b.similarity, chunk: k.id, article: k.article, title: coalesce(a.title, '')}
                 ORDER BY b.hop, b.similarity DESC, k.id } AS evidence,
       COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(r:Run)
                 RETURN {run: r.name, id: a.id, text: coalesce(a.text, ''), correct: coalesce(a.correct, false), error: coalesce(a.error, '')}
                 ORDER BY r.name } AS given
