// One question with its path, the facts that it rests on, its evidence, the questions of its single and of its first hops, what people said of it and what systems answered.
// params: id: STRING
// returns: question: MAP, path: STRING, entities: LIST<STRING>, hops: LIST<MAP>, evidence: LIST<MAP>, atomic: LIST<MAP>, prefixes: LIST<MAP>, reviews: LIST<MAP>, answers: LIST<MAP>
// mode: read
CYPHER 25
MATCH (q:Question {id: $id})
OPTIONAL MATCH (q)-[:FOLLOWS]->(p:Path)
RETURN q {.*, embedding: null} AS question, p.id AS path,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.name ORDER BY v.index } AS entities,
       COLLECT { MATCH (q)-[t:RESTS_ON]->(c:Claim)
                 OPTIONAL MATCH (p)-[h:HOP {index: t.index}]->(c)
                 OPTIONAL MATCH (a:Article {id: c.article})
                 RETURN {index: t.index, link: h.link, subject: h.subject, predicate: h.predicate, object: h.object, attributed_to: coalesce(h.attributed_to, ''),
                         claim: c.id, sentence: c.sentence, article: a.title, source: a.source}
                 ORDER BY t.index } AS hops,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(k)<-[:HAS_CHUNK]-(a)
                 RETURN {hop: b.hop, similarity: b.similarity, chunk: k.id, article: a.title}
                 ORDER BY b.hop, b.similarity DESC, k.id } AS evidence,
       COLLECT { MATCH (q)-[x:HAS_HOP_QUESTION]->(f) RETURN {hop: x.hop, topology: x.topology, id: f.id, text: f.text, answer: f.answer} ORDER BY x.hop } AS atomic,
       COLLECT { MATCH (q)-[x:HAS_PREFIX]->(f) RETURN {hops: x.hops, id: f.id, text: f.text, answer: f.answer} ORDER BY x.hops } AS prefixes,
       COLLECT { MATCH (q)-[:HAS_REVIEW]->(v) RETURN v {.annotator, .decision, .reason, .text, .at} ORDER BY v.at, v.id } AS reviews,
       COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(r:Run)
                 RETURN {run: r.name, text: a.text, correct: a.correct, error: a.error, judged_by: a.judged_by,
                         verdicts: COLLECT { MATCH (a)-[:HAS_VERDICT]->(v)
                                             RETURN v {.judge, .scale, .correct, .score, .why, .by_hand} ORDER BY v.by_hand, v.judge, v.scale }}
                 ORDER BY r.name } AS answers
