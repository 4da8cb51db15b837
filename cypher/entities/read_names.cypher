// The names that hang on an entity, with how many articles use each.
// params: id: STRING
// returns: name: STRING, articles: INTEGER
// mode: read
CYPHER 25
MATCH (e:Entity {id: $id})
CALL (e) {
  MATCH (e)<-[n:NAMES]-(:Chunk)<-[:HAS_CHUNK]-(a:Article) RETURN n.name AS name, a.id AS article
  UNION
  MATCH (e)<-[m:MENTIONS]-(c:Claim) RETURN m.name AS name, c.article AS article
}
RETURN name, count(DISTINCT article) AS articles ORDER BY articles DESC, name
