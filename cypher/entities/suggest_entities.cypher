// The entities whose names share most words with a text.
// params: corpus: STRING, words: STRING
// returns: name: STRING
// mode: read
CYPHER 25
CALL db.index.fulltext.queryNodes('entity_name', $words, {limit: 200}) YIELD node, score
WHERE node.corpus = $corpus
RETURN node.name AS name ORDER BY score DESC, name LIMIT 5
