// Some questions with everything that an export keeps of them; the facts of one that an import brought stand on its node.
// params: ids: LIST<STRING>
// returns: question: MAP, vector: LIST<FLOAT>, path: MAP, stops: LIST<MAP>, facts: LIST<MAP>, gold: LIST<MAP>, prefixes: LIST<MAP>, hop_questions: LIST<MAP>
// mode: read
CYPHER 25
UNWIND range(0, size($ids) - 1) AS place
MATCH (q:Question {id: $ids[place]})
OPTIONAL MATCH (q)-[:FOLLOWS]->(p:Path)
RETURN q {.*, embedding: null} AS question, q.embedding AS vector, p {.id, .signature} AS path,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e {.name, .type} ORDER BY v.index } AS stops,
       COLLECT { MATCH (q)-[t:RESTS_ON]->(c:Claim)
                 OPTIONAL MATCH (p)-[h:HOP {index: t.index}]->(c)
                 RETURN {index: t.index, link: h.link, subject: h.subject, predicate: h.predicate, object: h.object, reversed: h.reversed,
                         statement: c.text, sentence: c.sentence, article: c.article, start: c.start, end: c.end}
                 ORDER BY t.index, c.id } AS facts,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(k:Chunk)<-[:HAS_CHUNK]-(a:Article)
                 RETURN {hop: b.hop, chunk: k.id, article: a.id, start: k.start, end: k.end, similarity: b.similarity}
                 ORDER BY b.hop, k.id } AS gold,
       COLLECT { MATCH (q)-[x:HAS_PREFIX]->(f)
                 RETURN f {.id, .text, .answer, .accepted, .answer_type, hops: x.hops} ORDER BY x.hops, f.id } AS prefixes,
       COLLECT { MATCH (q)-[x:HAS_HOP_QUESTION]->(f)
                 RETURN f {.id, .text, .answer, .accepted, .answer_type, hop: x.hop, topology: x.topology} ORDER BY x.hop, f.id } AS hop_questions
ORDER BY place
