// The articles of a corpus in the order of their ids; `day` is that of publication, empty where none is known, `words` a hash of their words that is the
//   same in a corpus of any name.
// params: corpus: STRING
// returns: id: STRING, title: STRING, day: STRING, category: STRING, words: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
RETURN a.id AS id, a.title AS title, coalesce(toString(date(a.published_at)), '') AS day, coalesce(a.category, '') AS category,
       coalesce(a.sha256, a.id) AS words
ORDER BY id
