// One article of a corpus with its text and its chunks in order.
// params: corpus: STRING, id: STRING
// returns: id: STRING, title: STRING, source: STRING, category: STRING, author: STRING, published: STRING, url: STRING, tokens: INTEGER, answers: INTEGER, error_rate: FLOAT, body: STRING, sha256: STRING, chunks: LIST<MAP>
// mode: read
CYPHER 25
MATCH (a:Article {id: $id, corpus: $corpus})
RETURN a.id AS id, a.title AS title, a.source AS source, a.category AS category, a.author AS author,
       coalesce(toString(date(a.published_at)), '') AS published, a.url AS url, a.tokens AS tokens,
       coalesce(a.answers, 0) AS answers, a.error_rate AS error_rate, a.body AS body, a.sha256 AS sha256,
       COLLECT { MATCH (a)-[:HAS_CHUNK]->(c) RETURN c {.id, .position, .start, .end, .tokens} ORDER BY c.position } AS chunks
