// Kept questions as a comparison knows them, with the evidence of each hop and what it states.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING, answer: STRING, accepted: LIST<STRING>, kind: STRING, query_type: STRING, hops: INTEGER, bin: INTEGER, gold: LIST<MAP>, properties: MAP
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id, status: 'kept'})
RETURN q.id AS id, q.text AS text, q.answer AS answer, coalesce(q.accepted, []) AS accepted,
       q.kind AS kind,
       coalesce(q.query_type, '') AS query_type, coalesce(q.hops, 0) AS hops, q.bin AS bin,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(c:Chunk)
                 RETURN {hop: b.hop, chunk: c.id, article: c.article,
                         claim: coalesce(COLLECT { MATCH (q)-[:RESTS_ON {index: b.hop}]->(k:Claim)
                                                   RETURN k.text ORDER BY EXISTS { (c)-[:HAS_CLAIM]->(k) } DESC, k.id LIMIT 1 }[0], '')}
                 ORDER BY b.hop, c.id } AS gold,
       q {.*, embedding: null} AS properties
