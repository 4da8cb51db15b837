// The kept chain questions of a corpus with their own difficulty; `sampled` tells that the path was drawn, not asked for by hand.
// params: corpus: STRING
// returns: id: STRING, text: STRING, hops: INTEGER, bin: INTEGER, min: FLOAT, mean: FLOAT, power: FLOAT, sampled: BOOLEAN
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: 'kept', kind: 'chain'})
RETURN q.id AS id, q.text AS text, q.hops AS hops, q.bin AS bin,
       q.difficulty_min AS min, q.difficulty_mean AS mean, q.difficulty_power AS power,
       EXISTS { (q)-[:FOLLOWS]->(:Path {drawn: true}) } AS sampled
ORDER BY id
