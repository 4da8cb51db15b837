// Cosine search over Claim embeddings, exact vectors, filtered by corpus, or by shelf and date.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE VECTOR INDEX claim_embedding IF NOT EXISTS
FOR (n:Claim) ON n.embedding
WITH [n.corpus, n.shelf, n.published]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none'}}
