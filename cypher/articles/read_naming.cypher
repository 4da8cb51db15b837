// The articles that name an entity.
// params: id: STRING
// returns: id: STRING, title: STRING
// mode: read
CYPHER 25
MATCH (e:Entity {id: $id})
CALL (e) {
  MATCH (e)<-[:NAMES]-(:Chunk)<-[:HAS_CHUNK]-(a:Article) RETURN a
  UNION
  MATCH (e)<-[:MENTIONS]-(c:Claim) MATCH (a:Article {id: c.article}) RETURN a
}
RETURN DISTINCT a.id AS id, a.title AS title ORDER BY title, id
