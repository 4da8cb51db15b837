// The ids of a corpus' articles, in their order.
// params: corpus: STRING
// returns: id: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) RETURN a.id AS id ORDER BY id
