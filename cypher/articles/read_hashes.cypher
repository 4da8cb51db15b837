// The articles of a corpus: their category, and a hash of their words that is the same in a corpus of any name.
// params: corpus: STRING
// returns: id: STRING, category: STRING, words: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
RETURN a.id AS id, coalesce(a.category, '') AS category, coalesce(a.sha256, a.id) AS words ORDER BY id
