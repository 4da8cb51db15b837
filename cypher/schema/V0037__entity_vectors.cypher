// Cosine search over Entity embeddings of any dimension, exact vectors, filtered by corpus.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE VECTOR INDEX entity_embedding IF NOT EXISTS
FOR (n:Entity) ON n.embedding
WITH [n.corpus]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none'}}
