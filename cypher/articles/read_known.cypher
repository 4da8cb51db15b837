// The articles that a corpus has, with the ids that their files gave them.
// params: corpus: STRING
// returns: id: STRING, given_id: STRING
// mode: read
CYPHER 25
MATCH (a:Article {corpus: $corpus}) RETURN a.id AS id, a.given_id AS given_id
