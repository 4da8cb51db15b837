// The articles of a corpus by which evidence is known, with where their chunks begin and end.
// params: corpus: STRING
// returns: id: STRING, given_ids: LIST<STRING>, title: STRING, url: STRING, body: STRING, chunks: LIST<MAP>
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
RETURN a.id AS id, [id IN [coalesce(a.given_id, '')] + coalesce(a.other_ids, []) WHERE id <> ''] AS given_ids,
       coalesce(a.title, '') AS title, coalesce(a.url, '') AS url, a.body AS body,
       COLLECT { MATCH (a)-[:HAS_CHUNK]->(c) RETURN c {.id, .start, .end} ORDER BY c.start } AS chunks
ORDER BY id
