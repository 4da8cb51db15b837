// Some chunks: their text, where it stands in the body of their article, and where and when it is from, empty where unknown; month is that of publication.
// params: ids: LIST<STRING>
// returns: id: STRING, text: STRING, start: INTEGER, end: INTEGER, article: STRING, title: STRING, source: STRING, category: STRING, published: STRING,
//   month: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article)-[:HAS_CHUNK]->(c:Chunk {id: id})
LET published = coalesce(toString(date(a.published_at)), '')
RETURN id, c.text AS text, c.start AS start, c.end AS end, a.id AS article, coalesce(a.title, '') AS title, coalesce(a.source, '') AS source,
       coalesce(a.category, '') AS category, published, left(published, 7) AS month
