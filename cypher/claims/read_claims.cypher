// What some claims state, where their sentences stand, in which article, empty where nothing is known of it, and the chunks that hold them.
// params: ids: LIST<STRING>
// returns: id: STRING, corpus: STRING, text: STRING, sentence: STRING, start: INTEGER, end: INTEGER, article: STRING, title: STRING, source: STRING,
//   published: STRING, chunks: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Claim {id: id})
OPTIONAL MATCH (a:Article {id: c.article})
RETURN id, c.corpus AS corpus, c.text AS text, coalesce(c.sentence, '') AS sentence, c.start AS start, c.end AS end, a.id AS article,
       coalesce(a.title, '') AS title, coalesce(a.source, '') AS source, coalesce(toString(date(a.published_at)), '') AS published,
       COLLECT { MATCH (k:Chunk)-[:HAS_CLAIM]->(c) RETURN k.id ORDER BY k.position } AS chunks
