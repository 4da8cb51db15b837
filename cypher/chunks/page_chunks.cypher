// Chunks of a corpus, or of one of its articles, by id, those after a place.
// params: corpus: STRING, article: STRING, after: LIST<ANY>, limit: INTEGER
// returns: id: STRING, article: STRING, title: STRING, position: INTEGER, start: INTEGER, end: INTEGER, tokens: INTEGER, text: STRING, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (c:Chunk {corpus: $corpus})
WHERE ($after = [] OR c.id > $after[0]) AND ($article = '' OR c.article = $article)
ORDER BY c.id LIMIT $limit
OPTIONAL MATCH (a:Article {id: c.article})
RETURN c.id AS id, c.article AS article, coalesce(a.title, '') AS title, c.position AS position, c.start AS start, c.end AS end,
       c.tokens AS tokens, c.text AS text, coalesce(c.answers, 0) AS answers, c.error_rate AS error_rate
ORDER BY id
