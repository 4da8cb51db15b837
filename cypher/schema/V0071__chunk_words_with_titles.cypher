// Full-text search over title and text of chunks; keys and day hold the tokens that stand for corpus, names and date.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS FOR (n:Chunk) ON EACH [n.title, n.text, n.keys, n.day]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}
