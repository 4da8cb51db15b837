// The chunks of a corpus with what filters ask of their articles; published is an ISO date, empty where unknown.
// params: corpus: STRING
// returns: id: STRING, text: STRING, title: STRING, article: STRING, source: STRING, category: STRING,
//   author: STRING, published: STRING, vector: VECTOR
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(c:Chunk)
WITH a, c ORDER BY c.id
RETURN c.id AS id, c.text AS text, coalesce(a.title, '') AS title, a.id AS article,
       coalesce(a.source, '') AS source, coalesce(a.category, '') AS category, coalesce(a.author, '') AS author,
       coalesce(toString(date(a.published_at)), '') AS published,
       vector(c.embedding, size(c.embedding), FLOAT32) AS vector
