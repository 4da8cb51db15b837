// The articles of a corpus in the order of their ids; `day` is that of publication, empty where none is known.
// params: corpus: STRING
// returns: id: STRING, title: STRING, day: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})
RETURN a.id AS id, a.title AS title, coalesce(toString(date(a.published_at)), '') AS day ORDER BY id
