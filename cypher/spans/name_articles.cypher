// The titles of some articles.
// params: ids: LIST<STRING>
// returns: id: STRING, name: STRING
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (a:Article {id: id})
RETURN a.id AS id, a.title AS name
