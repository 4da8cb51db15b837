// The facts that chunks state of one name and another, of a name and a date or a number, or of what else paths may take; a bounded number of each chunk.
// params: ids: LIST<STRING>, most: INTEGER
// returns: id: STRING, article: STRING, domain: STRING, triples: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(k:Chunk {id: id})
RETURN id, a.id AS article, coalesce(a.category, '') AS domain,
       COLLECT { MATCH (k)-[:HAS_CLAIM]->(c:Claim)
                 MATCH (s:Entity)-[r:RELATES {claim: c.id} WHERE r.stated]->(o:Entity)
                 WHERE (s.named AND (o.named OR o.type IN ['DATE', 'NUMBER']) OR r.in_paths) AND s <> o
                 RETURN DISTINCT r.id AS triple ORDER BY triple LIMIT $most } AS triples
