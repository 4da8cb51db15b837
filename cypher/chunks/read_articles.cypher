// What the chunks of some articles repeat of them; published is an ISO date, empty where unknown.
// params: ids: LIST<STRING>
// returns: id: STRING, title: STRING, source: STRING, category: STRING, author: STRING, published: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article {id: id})
RETURN id, coalesce(a.title, '') AS title, coalesce(a.source, '') AS source, coalesce(a.category, '') AS category,
       coalesce(a.author, '') AS author, coalesce(toString(date(a.published_at)), '') AS published
