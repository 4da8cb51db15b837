// The articles in which a claim names both entities of a fact, up to a few.
// params: ids: LIST<STRING>
// returns: id: STRING, articles: LIST<STRING>
// mode: read
CYPHER 25
UNWIND $ids AS id
MATCH (s)-[r:RELATES {id: id}]->(o)
RETURN id, COLLECT { MATCH (s)<-[:MENTIONS]-(c:Claim)-[:MENTIONS]->(o) RETURN DISTINCT c.article LIMIT 3 } AS articles
