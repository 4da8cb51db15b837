// Where and when articles are from.
// params: ids: LIST<STRING>
// returns: id: STRING, title: STRING, source: STRING, published: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article {id: id})
RETURN id, a.title AS title, coalesce(a.source, '') AS source,
       coalesce(toString(date(a.published_at)), '') AS published
