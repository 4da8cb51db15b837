// Some articles with everything that an export keeps of them, and where their chunks begin and end.
// params: ids: LIST<STRING>
// returns: article: MAP, published: STRING, chunks: LIST<MAP>
// mode: read
CYPHER 25
UNWIND range(0, size($ids) - 1) AS place
MATCH (a:Article {id: $ids[place]})
RETURN a {.id, .title, .body, .source, .category, .author, .url, .tokens, .sha256, .given_id, .other_ids} AS article,
       toString(a.published_at) AS published,
       COLLECT { MATCH (a)-[:HAS_CHUNK]->(c) RETURN c {.id, .position, .start, .end, .tokens} ORDER BY c.position } AS chunks
ORDER BY place
