// The facts that chunks state and don't deny, mirrored ones too: subject, predicate, object; and whose article they are of.
// params: ids: LIST<STRING>
// returns: id: STRING, article: STRING, facts: LIST<LIST<STRING>>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(:Chunk {id: id})
RETURN id, a.id AS article,
       COLLECT { MATCH (:Chunk {id: id})-[:HAS_CLAIM]->(c)-[:MENTIONS]->(e)
                 MATCH (e)-[r:RELATES|MIRRORED WHERE r.claim = c.id AND coalesce(r.kept_out, '') <> 'negated']-()
                 RETURN DISTINCT [startNode(r).id, r.predicate, endNode(r).id] AS fact ORDER BY fact } AS facts
