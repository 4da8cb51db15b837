// Cosine search over the embeddings of facts, exact vectors, filtered by corpus, or by shelf and date.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE VECTOR INDEX relates_embedding IF NOT EXISTS
FOR ()-[r:RELATES]-() ON r.embedding
WITH [r.corpus, r.shelf, r.published]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none'}}
