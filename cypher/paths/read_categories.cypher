// The category of every article that has one.
// params: corpus: STRING
// returns: id: STRING, category: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) WHERE a.category <> ''
RETURN a.id AS id, a.category AS category ORDER BY id
