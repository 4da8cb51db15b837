// The chunks that hold the evidence of some questions, a list for each hop, in the order of hops; none for a null question, whose evidence is beside the point.
// params: ids: LIST<STRING>
// returns: id: STRING, hops: LIST<LIST<STRING>>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id})
RETURN id, COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c:Chunk)
                     WHERE q.kind <> 'null' AND coalesce(q.query_type, '') <> 'null'
                     WITH s.hop AS hop, c.id AS chunk ORDER BY chunk
                     WITH hop, collect(chunk) AS chunks ORDER BY hop
                     RETURN chunks } AS hops
