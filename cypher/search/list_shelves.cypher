// Which sources, categories and authors go together in the articles of a corpus, with how many articles, how many tokens, and the days of the oldest
//   and the newest of them as ISO dates; empty where an article has none.
// params: corpus: STRING
// returns: source: STRING, category: STRING, author: STRING, articles: INTEGER, tokens: INTEGER, first: STRING, last: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
WITH coalesce(a.source, '') AS source, coalesce(a.category, '') AS category, coalesce(a.author, '') AS author,
     a.tokens AS tokens, date(a.published_at) AS day
RETURN source, category, author, count(*) AS articles, sum(tokens) AS tokens,
       coalesce(toString(min(day)), '') AS first, coalesce(toString(max(day)), '') AS last
