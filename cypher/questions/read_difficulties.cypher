// The difficulties of all kept chain questions of a corpus, by each aggregate.
// params: corpus: STRING
// returns: question: STRING, hops: INTEGER, min: FLOAT, mean: FLOAT, power: FLOAT
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept', kind: 'chain'}) WHERE q.difficulty_min IS NOT NULL
RETURN q.id AS question, q.hops AS hops, q.difficulty_min AS min, q.difficulty_mean AS mean, q.difficulty_power AS power ORDER BY question
