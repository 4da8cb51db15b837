// Some statements that mention an entity, in some clusters (an empty list stands for all) and by a name (empty for any), those that hold the name first; one of each sentence.
// params: id: STRING, name: STRING, clusters: LIST<STRING>, limit: INTEGER
// returns: statement: STRING, sentence: STRING, article: STRING
// mode: read
CYPHER 25
MATCH (:Entity {id: $id})<-[m:MENTIONS]-(c:Claim)
WHERE ($name = '' OR m.name = $name)
  AND ($clusters = [] OR EXISTS { (c)-[:IN_CLUSTER]->(k:Cluster) WHERE k.id IN $clusters })
WITH c, max(c.text CONTAINS m.name) AS named
ORDER BY named DESC, c.id
WITH c.sentence AS sentence, collect({c: c, named: named})[0] AS first
WITH first.c AS c, first.named AS named
ORDER BY named DESC, c.id LIMIT $limit
MATCH (t:Article {id: c.article})
RETURN c.text AS statement, c.sentence AS sentence, t.title AS article
ORDER BY named DESC, c.id
