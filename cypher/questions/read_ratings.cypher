// The difficulty of kept chain questions under other embedders and chunkings.
// params: corpus: STRING
// returns: embedder: STRING, chunking: STRING, bins: STRING, question: STRING, difficulty: FLOAT, bin: INTEGER
// mode: read
CYPHER 25
MATCH (g:Rating {corpus: $corpus})-[r:RATES]->(q:Question {status: 'kept', kind: 'chain'}) WHERE r.bin IS NOT NULL
RETURN g.embedder AS embedder, g.chunking AS chunking, g.bins AS bins, q.id AS question, r.min AS difficulty, r.bin AS bin
ORDER BY embedder, chunking, bins, question
