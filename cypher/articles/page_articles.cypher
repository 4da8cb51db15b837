// Articles of a corpus by id, those after a place; an empty text, day or place stands for any.
// params: corpus: STRING, source: STRING, category: STRING, text: STRING, since: STRING, until: STRING, after: LIST<ANY>, limit: INTEGER
// returns: id: STRING, title: STRING, source: STRING, category: STRING, author: STRING, published: STRING, url: STRING, tokens: INTEGER, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
WITH a, coalesce(toString(date(a.published_at)), '') AS published
WHERE ($after = [] OR a.id > $after[0]) AND ($source = '' OR a.source = $source) AND ($category = '' OR a.category = $category)
  AND ($text = '' OR toLower(a.title) CONTAINS toLower($text)) AND ($since = '' OR published >= $since)
  AND ($until = '' OR (published <> '' AND published <= $until))
RETURN a.id AS id, a.title AS title, a.source AS source, a.category AS category, a.author AS author, published,
       a.url AS url, a.tokens AS tokens, coalesce(a.answers, 0) AS answers, a.error_rate AS error_rate
ORDER BY id LIMIT $limit
