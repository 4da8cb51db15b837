// What named entities are stated to have under some predicates, with the chunks that state it; hubs are left out.
// params: corpus: STRING, predicates: LIST<STRING>
// returns: triple: STRING, predicate: STRING, subject: STRING, type: STRING, value: STRING, dated: BOOLEAN, chunks: LIST<MAP>
// mode: read
CYPHER 25
MATCH (s:Entity {corpus: $corpus} WHERE s.named AND NOT coalesce(s.hub, false))-[r:RELATES WHERE r.stated AND r.predicate IN $predicates]->(o:Entity)
WHERE (o.named OR o.type = 'DATE') AND s <> o
RETURN r.id AS triple, r.predicate AS predicate, s.id AS subject, s.type AS type, o.id AS value, o.type = 'DATE' AS dated,
       COLLECT { MATCH (:Claim {id: r.claim})<-[:HAS_CLAIM]-(k:Chunk)<-[:HAS_CHUNK]-(a:Article)
                 RETURN {id: k.id, article: a.id} AS chunk ORDER BY k.id } AS chunks
