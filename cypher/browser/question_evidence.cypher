// One question with its answer, hop by hop: the fact, the sentence behind it, the chunk that is its evidence, and how near that is to the question.
// params: none
// returns: question: STRING, answer: STRING, hop: INTEGER, fact: STRING, sentence: STRING, title: STRING, similarity: FLOAT
// mode: read
CYPHER 25
MATCH (q:Question {status: 'kept', kind: 'chain', hops: 3})
// Instead of the line above: MATCH (q:Question {kind: 'chain'}) WHERE q.text CONTAINS 'some words'
WITH q ORDER BY q.error_rate, q.id LIMIT 1
MATCH (q)-[:FOLLOWS]->(:Path)-[h:HOP]->(c:Claim)
MATCH (q)-[b:SUPPORTED_BY {hop: h.index}]->(:Chunk)<-[:HAS_CHUNK]-(a:Article)
RETURN q.text AS question, q.answer AS answer, h.index AS hop, h.subject + ' | ' + h.predicate + ' | ' + h.object
       + coalesce(' (says ' + nullIf(h.attributed_to, '') + ')', '') AS fact,
       c.sentence AS sentence, a.title AS title, round(b.similarity, 2) AS similarity
ORDER BY hop, similarity DESC
