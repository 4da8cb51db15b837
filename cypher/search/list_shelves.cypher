// Which sources, categories and authors go together in the articles of a corpus.
// params: corpus: STRING
// returns: source: STRING, category: STRING, author: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
RETURN DISTINCT coalesce(a.source, '') AS source, coalesce(a.category, '') AS category,
       coalesce(a.author, '') AS author
