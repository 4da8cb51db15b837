// The kept questions of a corpus that it has an answer to, and those that reviewers dropped, with the supporting chunks of each hop that has any, in the order of hops.
// params: corpus: STRING
// returns: id: STRING, hops: LIST<LIST<STRING>>
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus}) WHERE q.status IN ['kept', 'dropped'] AND q.kind <> 'null' AND coalesce(q.query_type, '') <> 'null'
RETURN q.id AS id,
       COLLECT { MATCH (q)-[b:SUPPORTED_BY]->(c:Chunk)
                 WITH b.hop AS hop, c.id AS chunk ORDER BY chunk
                 WITH hop, collect(chunk) AS chunks ORDER BY hop
                 RETURN chunks } AS hops
ORDER BY id
