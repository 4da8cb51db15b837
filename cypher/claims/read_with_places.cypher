// Some claims of a corpus with their sentences, the articles that state them, and the chunks that hold them.
// params: corpus: STRING, ids: LIST<STRING>
// returns: id: STRING, text: STRING, sentence: STRING, title: STRING, source: STRING, published: STRING, chunks: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (c:Claim {id: id}) WHERE c.corpus = $corpus
MATCH (a:Article {id: c.article})
RETURN id, c.text AS text, c.sentence AS sentence, a.title AS title, coalesce(a.source, '') AS source,
       coalesce(toString(date(a.published_at)), '') AS published,
       COLLECT { MATCH (k:Chunk)-[:HAS_CLAIM]->(c) RETURN k.id ORDER BY k.position } AS chunks
