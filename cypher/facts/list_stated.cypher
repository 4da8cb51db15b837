// What named entities are stated to have under some predicates, and what figures under any, with the chunks that state it; hubs are left out.
// params: corpus: STRING, predicates: LIST<STRING>
// returns: triple: STRING, predicate: STRING, subject: STRING, type: STRING, value: STRING, value_name: STRING, sort: STRING, chunks: LIST<MAP>
// mode: read
CYPHER 25
MATCH (s:Entity {corpus: $corpus} WHERE s.named AND NOT coalesce(s.hub, false))-[r:RELATES WHERE r.stated]->(o:Entity)
WHERE (r.predicate IN $predicates AND (o.named OR o.type = 'DATE') OR o.type = 'NUMBER' OR o.type = 'CONCEPT' AND o.name =~ '[0-9].*') AND s <> o
RETURN r.id AS triple, r.predicate AS predicate, s.id AS subject, s.type AS type, o.id AS value, o.name AS value_name,
       CASE o.type WHEN 'DATE' THEN 'date' WHEN 'NUMBER' THEN 'number' WHEN 'CONCEPT' THEN 'number' ELSE '' END AS sort,
       COLLECT { MATCH (:Claim {id: r.claim})<-[:HAS_CLAIM]-(k:Chunk)<-[:HAS_CHUNK]-(a:Article)
                 RETURN {id: k.id, article: a.id} AS chunk ORDER BY k.id } AS chunks
