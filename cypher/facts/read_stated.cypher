// The facts that chunks state and don't deny, mirrored ones too: subject, predicate, object; and whose article they are of.
// params: ids: LIST<STRING>
// returns: id: STRING, article: STRING, facts: LIST<LIST<STRING>>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(:Chunk {id: id})
RETURN id, a.id AS article,
       COLLECT { MATCH (:Chunk {id: id})-[:HAS_CLAIM]->(c:Claim)
                 CALL (c) {
                   MATCH ()-[r:RELATES {claim: c.id}]->() RETURN r
                   UNION
                   MATCH (c)-[:MENTIONS]->()-[r:MIRRORED {claim: c.id}]-() RETURN r
                 }
                 FILTER coalesce(r.kept_out, '') <> 'negated'
                 RETURN DISTINCT [startNode(r).id, r.predicate, endNode(r).id] AS fact ORDER BY fact } AS facts
