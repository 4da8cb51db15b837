// The edges that begin at a page of nodes and end at one of the labels.
// params: ids: LIST<STRING>, labels: LIST<STRING>, vectors: BOOLEAN
// returns: start: STRING, type: STRING, end: STRING, end_label: STRING, properties: MAP
// mode: read
CYPHER 25
MATCH (n)-[r]->(m) WHERE elementId(n) IN $ids AND m.corpus = n.corpus
WITH n, r, m, [label IN labels(m) WHERE label IN $labels] AS kept
WHERE kept <> []
RETURN n.id AS start, type(r) AS type, m.id AS end, kept[0] AS end_label,
       r {.*, embedding: CASE WHEN $vectors AND r.embedding IS NOT NULL
                              THEN vector(r.embedding, size(r.embedding), FLOAT64) END} AS properties
