// Cosine search over the copies of chunks, with exact vectors as over the chunks themselves.
// params: none
// returns: none
// mode: write alone
CYPHER 25
CREATE VECTOR INDEX benchmark_vectors IF NOT EXISTS
FOR (n:BenchmarkPassage) ON n.embedding
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.type`: 'none'}}
