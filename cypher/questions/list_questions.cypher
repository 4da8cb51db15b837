// Some kept questions with difficulty and bin, in the order of depth and difficulty.
// params: corpus: STRING, hops: LIST<INTEGER>, limit: INTEGER
// returns: id: STRING, hops: INTEGER, bin: INTEGER, difficulty: FLOAT, text: STRING, answer: STRING
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept'})
WHERE q.hops IN $hops
RETURN q.id AS id, q.hops AS hops, q.bin AS bin, q.difficulty_min AS difficulty, q.text AS text, q.answer AS answer
ORDER BY hops, difficulty LIMIT $limit
