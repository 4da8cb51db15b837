// Full-text search over the text of chunks.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS FOR (n:Chunk) ON EACH [n.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}
