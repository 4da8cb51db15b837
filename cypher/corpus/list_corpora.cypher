// Every corpus with the size of its parts; of its questions those that are asked.
// params: none
// returns: name: STRING, articles: INTEGER, chunks: INTEGER, entities: INTEGER, questions: INTEGER, embedder: STRING, created_at: ZONED DATETIME
// mode: read
CYPHER 25
MATCH (c:Corpus)
RETURN c.name AS name,
       COUNT { (a:Article) WHERE a.corpus = c.name } AS articles,
       COUNT { (k:Chunk) WHERE k.corpus = c.name } AS chunks,
       COUNT { (e:Entity) WHERE e.corpus = c.name } AS entities,
       COUNT { (q:Question) WHERE q.corpus = c.name AND q.status = 'kept' } AS questions,
       c.embedder AS embedder, c.created_at AS created_at
ORDER BY name
