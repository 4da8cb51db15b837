// The questions of one status, in the order of their ids, with what they are told apart by and how hard they are; `sampled` tells that the path
//   of a chain was drawn, not asked for by hand.
// params: corpus: STRING, status: STRING
// returns: id: STRING, given_id: STRING, text: STRING, answer: STRING, kind: STRING, query_type: STRING, hops: INTEGER, bin: INTEGER,
//   min: FLOAT, mean: FLOAT, power: FLOAT, sampled: BOOLEAN
// mode: read
CYPHER 25
MATCH (q:Question {corpus: $corpus, status: $status})
RETURN q.id AS id, coalesce(q.given_id, '') AS given_id, q.text AS text, q.answer AS answer, q.kind AS kind, q.query_type AS query_type,
       coalesce(q.hops, 0) AS hops, q.bin AS bin, q.difficulty_min AS min, q.difficulty_mean AS mean, q.difficulty_power AS power,
       EXISTS { (q)-[:FOLLOWS]->(:Path {drawn: true}) } AS sampled
ORDER BY id
