// One question with its path, its evidence and what systems answered.
// params: id: STRING
// returns: question: MAP, entities: LIST<STRING>, hops: LIST<MAP>, evidence: LIST<MAP>, answers: LIST<MAP>
// mode: read
CYPHER 25
MATCH (q:Question {id: $id})-[:FOLLOWS]->(p:Path)
RETURN q {.*, embedding: null} AS question,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.name ORDER BY v.index } AS entities,
       COLLECT { MATCH (p)-[h:HOP]->(c:Claim) RETURN h {.index, .link, .subject, .predicate, .object, sentence: c.sentence}
                 ORDER BY h.index } AS hops,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(k)<-[:HAS_CHUNK]-(a) RETURN {hop: b.hop, similarity: b.similarity, chunk: k.id, article: a.title}
                 ORDER BY b.hop, b.similarity DESC } AS evidence,
       COLLECT { MATCH (q)<-[:TO]-(a:Answer)<-[:GAVE]-(r:Run) RETURN {run: r.name, text: a.text, correct: a.correct} ORDER BY r.name } AS answers
