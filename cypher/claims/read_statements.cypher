// What some claims state and where their sentences stand.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING, sentence: STRING, start: INTEGER, end: INTEGER, article: STRING, title: STRING, source: STRING, published: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Claim {id: id})
OPTIONAL MATCH (a:Article {id: c.article})
RETURN id, c.text AS text, coalesce(c.sentence, '') AS sentence, c.start AS start, c.end AS end,
       a.id AS article, coalesce(a.title, '') AS title, coalesce(a.source, '') AS source,
       coalesce(toString(date(a.published_at)), '') AS published
