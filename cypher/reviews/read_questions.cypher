// Questions as annotators see them, in the words in which they were made: answer, evidence, what filters said, and the entities on the way.
// params: ids: LIST<STRING>
// returns: id: STRING, question: MAP, facts: LIST<MAP>, stops: LIST<MAP>, answered_by: STRING,
//   hop_questions: LIST<MAP>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id})
OPTIONAL MATCH (q)-[:FOLLOWS]->(p:Path)
RETURN id, q {.corpus, .answer, .accepted, .answer_type, .kind, .hops, .status, .rejected_by, .checked, .passed, .reasons, .absent,
              text: coalesce(q.made_as, q.text)} AS question,
       COLLECT { MATCH (q)-[s:RESTS_ON]->(c:Claim)
                 OPTIONAL MATCH (p)-[h:HOP {index: s.index}]->(c)
                 RETURN {index: s.index, subject: h.subject, predicate: h.predicate, object: h.object, attributed_to: coalesce(h.attributed_to, ''),
                         sentence: c.sentence,
                         article: COLLECT { MATCH (c)<-[:HAS_CLAIM]-(:Chunk)<-[:HAS_CHUNK]-(a:Article)
                                            RETURN a {.title, .source, published: toString(date(a.published_at))} ORDER BY a.id LIMIT 1 }[0]}
                 ORDER BY s.index } AS facts,
       COLLECT { MATCH (p)-[v:VISITS]->(e:Entity) RETURN e {.id, .name, .type, .aliases} ORDER BY v.index } AS stops,
       COLLECT { MATCH (q)-[:ANSWERED_BY]->(e:Entity) RETURN e.id LIMIT 1 }[0] AS answered_by,
       COLLECT { MATCH (q)-[b:HAS_HOP_QUESTION]->(x:Question)
                 RETURN {hop: b.hop, topology: b.topology, text: x.text, answer: x.answer,
                         evidence: COLLECT { MATCH (q)-[s:SUPPORTED_BY {hop: b.hop}]->(k:Chunk)<-[:HAS_CHUNK]-(a:Article)
                                             RETURN {text: k.text, title: a.title, source: a.source, published: toString(date(a.published_at))}
                                             ORDER BY k.id LIMIT 2 }}
                 ORDER BY b.hop } AS hop_questions
