// How many articles of a corpus each category has, and their mean length in tokens; '' for those without.
// params: corpus: STRING
// returns: category: STRING, articles: INTEGER, tokens: FLOAT
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
RETURN coalesce(a.category, '') AS category, count(*) AS articles, avg(toFloat(a.tokens)) AS tokens
ORDER BY articles DESC, category
