// The chunks that hold the evidence of some questions, hop by hop, each once; none for a null question, whose evidence is beside the point.
// params: ids: LIST<STRING>
// returns: id: STRING, chunks: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (q:Question {id: id})
RETURN id, COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c:Chunk)
                     WHERE q.kind <> 'null' AND coalesce(q.query_type, '') <> 'null'
                     WITH c, min(s.hop) AS hop
                     RETURN c.id ORDER BY hop, c.id } AS chunks
