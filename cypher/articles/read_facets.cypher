// What the articles of some chunks tell of themselves: id, category and month of publication, empty where they don't.
// params: ids: LIST<STRING>
// returns: chunk: STRING, article: STRING, category: STRING, month: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Chunk {id: id})<-[:HAS_CHUNK]-(a:Article)
RETURN c.id AS chunk, a.id AS article, coalesce(a.category, '') AS category, coalesce(left(toString(date(a.published_at)), 7), '') AS month
