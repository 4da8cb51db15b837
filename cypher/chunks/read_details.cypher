// One chunk of a corpus with its neighbours, the claims in it and the names in it.
// params: corpus: STRING, id: STRING
// returns: id: STRING, article: STRING, title: STRING, position: INTEGER, start: INTEGER, end: INTEGER, tokens: INTEGER, text: STRING, answers: INTEGER, error_rate: FLOAT, before: STRING, next: STRING, claims: LIST<MAP>, names: LIST<MAP>
// mode: read
CYPHER 25
MATCH (c:Chunk {id: $id, corpus: $corpus})
OPTIONAL MATCH (a:Article {id: c.article})
RETURN c.id AS id, c.article AS article, coalesce(a.title, '') AS title, c.position AS position, c.start AS start, c.end AS end,
       c.tokens AS tokens, c.text AS text, coalesce(c.answers, 0) AS answers, c.error_rate AS error_rate,
       head(COLLECT { MATCH (b:Chunk)-[:NEXT]->(c) RETURN b.id ORDER BY b.id LIMIT 1 }) AS before,
       head(COLLECT { MATCH (c)-[:NEXT]->(b:Chunk) RETURN b.id ORDER BY b.id LIMIT 1 }) AS next,
       COLLECT { MATCH (c)-[:HAS_CLAIM]->(k) RETURN k {.id, .text, .start, .end} ORDER BY k.start, k.id } AS claims,
       COLLECT { MATCH (c)-[n:NAMES]->(e) RETURN {surface: n.surface, count: n.count, entity: e.id, name: e.name, type: e.type}
                 ORDER BY n.surface, e.id } AS names
