// Nodes with what they hold, a page of them; vectors come as the server's vector type, which is sent fast.
// params: ids: LIST<STRING>, vectors: BOOLEAN
// returns: id: STRING, labels: LIST<STRING>, properties: MAP
// mode: read
CYPHER 25
MATCH (n) WHERE elementId(n) IN $ids
RETURN n.id AS id, labels(n) AS labels,
       n {.*, embedding: CASE WHEN $vectors AND n.embedding IS NOT NULL
                              THEN vector(n.embedding, size(n.embedding), FLOAT64) END} AS properties
