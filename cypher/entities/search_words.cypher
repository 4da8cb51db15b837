// The entities whose names fit some words best, more connected ones first among equals.
// params: corpus: STRING, words: STRING, limit: INTEGER
// returns: id: STRING, name: STRING, type: STRING, degree: INTEGER, answers: INTEGER, error_rate: FLOAT
// mode: read
CYPHER 25
CALL db.index.fulltext.queryNodes('entity_name', $words, {limit: 1000}) YIELD node, score
WHERE node.corpus = $corpus
RETURN node.id AS id, node.name AS name, node.type AS type, node.degree AS degree, node.answers AS answers, node.error_rate AS error_rate
ORDER BY score DESC, degree DESC, name LIMIT $limit
